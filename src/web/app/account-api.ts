import { Refusal } from './api'
import { readKey } from './key'

export interface Account {
  id: string
  email: string
  name: string | null
  role: 'member' | 'admin'
  plan: 'free' | 'paid'
  created_at: string
}

export interface AccountKey {
  id: string
  name: string
  capabilities: string[]
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  rotation_due: boolean
}

export interface AdminAccount extends Account {
  /** How many keys of theirs are live. */
  keys: number
  last_seen_at: string | null
}

const call = async <Answer>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  asPerson = false,
): Promise<Answer> => {
  const key = asPerson ? null : readKey()
  const response = await fetch(path, {
    method,
    headers: {
      ...(key === null ? {} : { 'x-service-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  const text = await response.text()
  const answer = text === '' ? null : JSON.parse(text)
  if (!response.ok)
    throw new Refusal(response.status, answer?.error ?? `The service answered ${response.status}.`, answer)
  return answer
}
export const callPending = call

export const getAccount = (signal?: AbortSignal) => call<Account>('GET', '/v1/account', undefined, signal, true)
export const listAccountKeys = (signal?: AbortSignal) =>
  call<{ keys: AccountKey[] }>('GET', '/v1/account/keys', undefined, signal, true)
export const issueAccountKey = (body: { name: string; capabilities?: ['enqueue'] }) =>
  call<AccountKey & { key: string }>('POST', '/v1/account/keys', body, undefined, true)
export const revokeAccountKey = (id: string) =>
  call<AccountKey>('DELETE', `/v1/account/keys/${id}`, {}, undefined, true)
export const signOut = () => call<null>('POST', '/auth/sign-out', {}, undefined, true)
