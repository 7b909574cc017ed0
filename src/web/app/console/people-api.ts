import type { Account } from '../account-api'
import { Refusal } from '../api'
import { readKey } from '../key'

export interface Person extends Account {
  /** How many keys of theirs are live. */
  keys: number
  last_seen_at: string | null
}

export type PersonChange = Partial<Pick<Person, 'role' | 'plan'>>

const call = async <Answer>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> => {
  const key = readKey()
  const response = await fetch(path, {
    method,
    headers: {
      ...(key === null ? {} : { 'x-service-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  const answer = await response.json()
  if (!response.ok) throw new Refusal(response.status, answer.error, answer)
  return answer
}

export const listPeople = (page: { limit: string; q?: string; after?: string }, signal: AbortSignal) =>
  call<{ accounts: Person[]; next: string | null }>(
    'GET',
    `/v1/admin/accounts?${new URLSearchParams(page)}`,
    undefined,
    signal,
  )
export const changePerson = (id: string, change: PersonChange) =>
  call<Person>('PATCH', `/v1/admin/accounts/${encodeURIComponent(id)}`, change)
export const removePerson = (id: string) => call<Person>('DELETE', `/v1/admin/accounts/${encodeURIComponent(id)}`)
