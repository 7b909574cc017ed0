import { api, ask, at, Refusal } from '../api'

const getAccount = (signal?: AbortSignal) => ask(api.v1.account.get({ fetch: signal ? { signal } : {} }))
export type Account = Awaited<ReturnType<typeof getAccount>>

/**
 * Who is signed in; null: nobody.
 *
 * @throws Refusal
 */
export const findAccount = async (signal?: AbortSignal): Promise<Account | null> => {
  try {
    return await getAccount(signal)
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null
    throw error
  }
}

export const listAccountKeys = (signal: AbortSignal) => ask(api.v1.account.keys.get({ query: {}, fetch: { signal } }))
export type AccountKey = Awaited<ReturnType<typeof listAccountKeys>>['keys'][number]

export const issueAccountKey = (wanted: { name: string; capabilities?: ['enqueue'] }) =>
  ask(api.v1.account.keys.post(wanted))
export const revokeAccountKey = (id: string) => ask(api.v1.account.keys({ id: at(id) }).delete())

/** @throws Refusal */
export const signOut = () => ask(api.auth['sign-out'].post())

/** The sign-in page, which returns to the current page afterwards. */
export const signInPath = (): string =>
  `/auth/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`
