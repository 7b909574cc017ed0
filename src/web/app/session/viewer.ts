import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, useRef } from 'react'
import { canEnd } from '../api/queries'
import { type Account, findAccount } from './account-api'
import { useKey } from './key'

const MAX_RETRY_DELAY_MS = 5_000

/** Who uses the page: a signed-in person, someone who typed in a key, or both. With both, requests use the key. */
export interface Viewer {
  key: string | null
  account: Account | null
  /** The session ended while the page was open. `account` is still the person that it was. */
  hasSessionEnded: boolean
  /** Whether the account has been requested. */
  isKnown: boolean
  /** The account is not known, because the service has not responded with it. The request is repeated. */
  isUnavailable: boolean
  /** Whether requests to read can succeed. */
  canRead: boolean
  /** Whether requests for scrapes can succeed. Only the service knows what a typed key can do. */
  canEnqueue: boolean
  /** Whether exports can succeed. Only the service knows what a typed key can do. */
  canExport: boolean
  canAdminister: boolean
}

export const useViewerOfSession = (): Viewer => {
  const key = useKey()
  const { data, isPending, failureCount } = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => findAccount(signal),
    // Nothing is known about the person until the service responds, so this never gives up.
    retry: (_, error) => canEnd(error),
    retryDelay: (failures) => Math.min(1_000 * 2 ** failures, MAX_RETRY_DELAY_MS),
    // Someone whose session has ended may have signed in again in another tab.
    staleTime: ({ state }) => (state.data === null ? 0 : 60_000),
  })
  // When a session ends, the page stays, so that unsaved input is not lost.
  const before = useRef<Account | null>(null)
  if (data) before.current = data
  const account = data ?? before.current
  const isAdmin = account?.role === 'admin'
  return {
    key,
    account,
    hasSessionEnded: data === null && account !== null && key === null,
    isKnown: !isPending,
    isUnavailable: isPending && failureCount > 0,
    canRead: key !== null || account !== null,
    canEnqueue: key !== null || isAdmin || account?.plan === 'paid',
    canExport: key !== null || isAdmin || account?.plan === 'paid',
    canAdminister: key !== null || isAdmin,
  }
}

const ViewerContext = createContext<Viewer | null>(null)
export const ViewerProvider = ViewerContext.Provider

export const useViewer = (): Viewer => {
  const viewer = useContext(ViewerContext)
  if (viewer === null) throw new Error('useViewer needs a ViewerProvider')
  return viewer
}
