import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { Button } from '../button'
import { Opening } from '../spinner'
import { ErrorBoundary, type Failure, PageNotFetched } from './error-boundary'

/** A page, or a part of one, whose code is fetched when it is first shown. */
export const fetchLater = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    try {
      return { default: await load() }
    } catch (error) {
      throw new PageNotFetched(error)
    }
  })

/** The place of a dialog, a menu or another part that is fetched later. If it cannot be shown, the rest of the page stays, with what was typed. */
export const Part = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary fallback={FailedPart}>
    <Suspense fallback={<Opening />}>{children}</Suspense>
  </ErrorBoundary>
)

const FailedPart = ({ error, onTryAgain }: Failure) => (
  <div className="notice bad floating" role="alert">
    {error instanceof PageNotFetched ? (
      <>
        <p>This could not be opened. Check your network. Then reload the page: the service may have a newer version.</p>
        <Button onClick={onTryAgain}>Reload the page</Button>
      </>
    ) : (
      <>
        <p>{error.message}</p>
        <Button onClick={onTryAgain}>Try again</Button>
      </>
    )}
  </div>
)
