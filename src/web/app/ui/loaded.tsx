import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { isNotFound, Refusal } from '../api/api'
import { useChooseKey } from '../session/choose-key'
import { readKey } from '../session/key'
import { SignInLink } from '../session/sign-in-link'
import { useViewer } from '../session/viewer'
import { Button } from './button'
import { Notice } from './notice'
import { Spinner } from './spinner'

/** The data of a query, or why there is none. */
export const Loaded = <Data,>({
  query,
  what,
  children,
}: {
  query: UseQueryResult<Data>
  /** Name of the data, for messages: "the jobs". */
  what: string
  children: (data: Data) => ReactNode
}) => {
  const lastError = useRef<Error | null>(null)
  if (query.error !== null) lastError.current = query.error
  if (query.data !== undefined) return children(query.data)
  // While a failed query is repeated, it has no error.
  const error = query.errorUpdateCount > 0 ? (query.error ?? lastError.current) : null
  if (isNotFound(error)) {
    return <Notice tone="warn">Not found: {what}. Check the URL for a typo.</Notice>
  }
  if (error !== null) return <Trouble error={error} />
  return <Spinner label={`Loading ${what}`} />
}

export const Trouble = ({ error }: { error: Error | null }) => {
  const { hasSessionEnded } = useViewer()
  if (error === null) return null
  if (error instanceof Refusal && error.status === 401 && hasSessionEnded) {
    return (
      <Notice tone="warn">
        Your session has ended.{' '}
        <SignInLink target="_blank" rel="noopener">
          Sign in again in a new tab
        </SignInLink>
        , then repeat this. What you typed is still here.
      </Notice>
    )
  }
  if (error instanceof Refusal && error.status === 401) {
    return readKey() === null ? (
      <Notice tone="warn">
        <SignInLink>Sign in</SignInLink> or use an API key to see this.
      </Notice>
    ) : (
      <InvalidKey />
    )
  }
  if (error instanceof Refusal && error.status === 403) {
    return <Notice tone="warn">You do not have access to this: {error.message}.</Notice>
  }
  return <Notice tone="bad">{error.message}</Notice>
}

/** Requests use the kept key before the session, so nothing can be read until it is forgotten. */
const InvalidKey = () => {
  const { account } = useViewer()
  const choose = useChooseKey()
  return (
    <Notice tone="warn">
      <div className="row spread">
        <span>
          The API key that this tab uses is not valid.{' '}
          {account === null
            ? 'Forget it, then sign in or use another key.'
            : `Forget it to continue as ${account.name ?? account.email}.`}
        </span>
        <Button onClick={() => choose(null)}>Forget the key</Button>
      </div>
    </Notice>
  )
}
