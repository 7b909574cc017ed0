import { api, ask, at } from '../../api/api'

export const listAccountKeys = (signal: AbortSignal) => ask(api.v1.account.keys.get({ query: {}, fetch: { signal } }))
export type AccountKey = Awaited<ReturnType<typeof listAccountKeys>>['keys'][number]

export const issueAccountKey = (wanted: { name: string; capabilities?: ('enqueue' | 'bulk-export')[] }) =>
  ask(api.v1.account.keys.post(wanted))
export const revokeAccountKey = (id: string) => ask(api.v1.account.keys({ id: at(id) }).delete())
