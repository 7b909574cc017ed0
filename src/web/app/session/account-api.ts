import { api, ask, Refusal } from '../api/api'

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

/** @throws Refusal */
export const signOut = () => ask(api.auth['sign-out'].post())

/** The sign-in page, which returns to the current page afterwards. */
export const signInPath = (): string =>
  `/auth/sign-in?return_to=${encodeURIComponent(location.pathname + location.search + location.hash)}`
