import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { type Account, findAccount } from './account-api'
import { useKey } from './key'

/** Who looks at the page: a signed-in person, someone who typed a key, or both; then the key speaks. */
export interface Viewer {
  key: string | null
  account: Account | null
  /** Whether it is known yet who that is. */
  isKnown: boolean
  /** Whether reading may be tried at all. */
  canRead: boolean
  /** Whether ordering scrapes may be tried. What a typed key can do the service alone knows: it says so. */
  canEnqueue: boolean
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
    canAdminister: key !== null || isAdmin,
  }
}

const ViewerContext = createContext<Viewer | null>(null)
export const ViewerProvider = ViewerContext.Provider

export const useViewer = (): Viewer => {
  const viewer = useContext(ViewerContext)
  if (viewer === null) throw new Error('there is no viewer outside of the app')
  return viewer
}
