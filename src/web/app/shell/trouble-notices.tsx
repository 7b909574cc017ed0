import { useQueryClient } from '@tanstack/react-query'
import { useConnectionLostAt } from '../api/connection'
import { useIsRetrying } from '../api/queries'
import { formatMoment } from '../format'
import { SignInLink } from '../session/sign-in-link'
import { useViewer } from '../session/viewer'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'

/** What is wrong with the whole app: no connection, a busy service, or a session that has ended. The page below stays as it is. */
export const TroubleNotices = () => {
  const lostAt = useConnectionLostAt()
  const isRetrying = useIsRetrying()
  const { hasSessionEnded } = useViewer()
  const queries = useQueryClient()
  return (
    <div className="trouble-notices">
      {lostAt !== null && (
        <Notice tone="warn">
          <div className="row spread">
            <span>
              The service has not responded since {formatMoment(new Date(lostAt).toISOString())}. What you see may be
              out of date.
            </span>
            <Button onClick={() => queries.refetchQueries({ type: 'active' })}>Try again</Button>
          </div>
        </Notice>
      )}
      {lostAt === null && isRetrying && (
        <Notice tone="warn">The service is busy, or a part of it does not respond. Trying again…</Notice>
      )}
      {hasSessionEnded && (
        <Notice tone="warn">
          Your session has ended. What you typed is still here.{' '}
          <SignInLink target="_blank" rel="noopener">
            Sign in again in a new tab
          </SignInLink>
          , then return to this one.
        </Notice>
      )}
    </div>
  )
}
