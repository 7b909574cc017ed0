import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Refusal } from '../api'
import { signInPath } from '../session/account-api'
import { Notice } from './notice'
import { Spinner } from './spinner'

/** What came, or what came in its way. */
export const Loaded = <Data,>({
  query,
  what,
  children,
}: {
  query: UseQueryResult<Data>
  /** What is loaded, as in "the jobs". */
  what: string
  children: (data: Data) => ReactNode
}) => {
  if (query.data !== undefined) return children(query.data)
  if (query.error !== null) return <Trouble error={query.error} />
  return <Spinner label={`Loading ${what}`} />
}

export const Trouble = ({ error }: { error: Error | null }) => {
  if (error === null) return null
  if (error instanceof Refusal && error.status === 401) {
    return (
      <Notice tone="warn">
        <a href={signInPath()}>Sign in</a> or use a key to see this.
      </Notice>
    )
  }
  if (error instanceof Refusal && error.status === 403) {
    return <Notice tone="warn">This is for others: {error.message}.</Notice>
  }
  return <Notice tone="bad">{error.message}</Notice>
}
