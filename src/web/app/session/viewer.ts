import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { type Account, findAccount } from './account-api'
import { useKey } from './key'

/** Who uses the page: a signed-in person, someone who typed in a key, or both. With both, requests use the key. */
export interface Viewer {
  key: string | null
  account: Account | null
  /** Whether the account has been requested. */
  isKnown: boolean
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
  const { data, isPending } = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => findAccount(signal),
    staleTime: 60_000,
  })
  const account = data ?? null
  const isAdmin = account?.role === 'admin'
  return {
    key,
    account,
    isKnown: !isPending,
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
