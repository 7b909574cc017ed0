import type { ComponentProps } from 'react'
import { SignInLink } from '../../session/sign-in-link'
import { useViewer } from '../../session/viewer'
import { CONSOLE } from '../../shell/destinations'
import { NavLink, useNavAtPage } from '../../shell/shell'
import { Notice } from '../../ui/notice'
import { Page } from '../../ui/page/page'
import { Spinner } from '../../ui/spinner'
import { MAX_RAISED, useRaisedAlerts } from './alerts/alert-api'

/** A page of the operator's console. The service checks every request; this only decides what to show to whom. */
export const ConsolePage = ({ children, ...page }: ComponentProps<typeof Page>) => {
  const { canAdminister, canRead, isKnown } = useViewer()
  const nav = useNavAtPage(CONSOLE.length)
  return (
    <div className="console">
      <nav ref={nav} className="console-nav" aria-label="Console">
        {CONSOLE.map(({ href, label }) => (
          <NavLink key={href} href={href}>
            {label}
            {href === ALERTS && <RaisedCount />}
          </NavLink>
        ))}
      </nav>
      <Page {...page} {...(canAdminister ? {} : { actions: null })}>
        {!isKnown ? <Spinner label="Loading" /> : canAdminister ? children : <AccessDenied isSignedIn={canRead} />}
      </Page>
    </div>
  )
}

const ALERTS = '/app/console/alerts'

/** How many alerts are raised that nobody has silenced. */
const RaisedCount = () => {
  const { canAdminister } = useViewer()
  const { data } = useRaisedAlerts({ isOn: canAdminister })
  const count = data?.alerts.filter(({ silenced_until }) => silenced_until === null).length ?? 0
  if (count === 0) return null
  const text = count < MAX_RAISED ? String(count) : `${MAX_RAISED}+`
  return (
    <>
      {' '}
      <span className="badge bad count">
        {text}
        <span className="unseen"> raised</span>
      </span>
    </>
  )
}

const AccessDenied = ({ isSignedIn }: { isSignedIn: boolean }) => (
  <Notice tone="warn">
    {isSignedIn ? (
      'The console is for operators. An admin can make you one.'
    ) : (
      <>
        The console is for operators: <SignInLink>sign in</SignInLink>.
      </>
    )}
  </Notice>
)
