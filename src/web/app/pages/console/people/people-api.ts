import { api, ask, at } from '../../../api/api'

export const listPeople = (page: { limit: number; q?: string; after?: string }, signal: AbortSignal) =>
  ask(api.v1.admin.accounts.get({ query: page, fetch: { signal } }))
export type Person = Awaited<ReturnType<typeof listPeople>>['accounts'][number]

export type PersonChange = Partial<Pick<Person, 'role' | 'plan'>>

export const changePerson = (id: string, change: PersonChange) =>
  ask(api.v1.admin.accounts({ id: at(id) }).patch(change))
export const removePerson = (id: string) => ask(api.v1.admin.accounts({ id: at(id) }).delete())
