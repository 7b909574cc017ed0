import { useIsFetching, useMutation, useQueryClient } from '@tanstack/react-query'
import { type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { signOut } from '../session/account-api'
import { SignInLink } from '../session/sign-in-link'
import { useViewer } from '../session/viewer'
import { Button } from '../ui/button'
import { Icon } from '../ui/icon'
import { Trouble } from '../ui/loaded'
import { fetchLater, Part } from '../ui/page/part'
import { listDestinations } from './destinations'
import { keepFocus } from './kept-focus'
import { PaletteButton } from './palette-button'
import { chooseTheme, useTheme } from './theme'
import { TroubleNotices } from './trouble-notices'

/** Fetched when the menu opens. */
const KeyForm = fetchLater(async () => (await import('../session/key-form')).KeyForm)

/** The frame of every page: links to other pages, who is signed in, and the theme. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const viewer = useViewer()
  const isFetching = useIsFetching() > 0
  const destinations = listDestinations(viewer)
  const nav = useNavAtPage(destinations.length)
  useEffect(keepFocus, [])
  return (
    // Shows tests and scripts whether requests are in progress.
    <div className="shell" data-busy={isFetching || undefined}>
      {/* biome-ignore lint/a11y/useValidAnchor: the guide that the service sends needs the link until its script runs */}
      <a className="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header className="top">
        <Link href="/app/search" className="brand">
          <Icon name="parcels" />
          <span>Parcels</span>
        </Link>
        <nav ref={nav} aria-label="Main" className="top-nav">
          {destinations.map(({ label, ...link }) => (
            <NavLink key={link.href} {...link}>
              {label}
            </NavLink>
          ))}
        </nav>
        <div className="top-end">
          <PaletteButton />
          <ThemeToggle />
          <SignedInAs />
        </div>
      </header>
      <TroubleNotices />
      {children}
    </div>
  )
}

/** Focuses the content. The URL keeps its hash, which has the position of the map. */
const skip = (event: MouseEvent): void => {
  const main = document.getElementById('main')
  if (main === null) return
  event.preventDefault()
  main.focus()
}

export const NavLink = ({ href, under = href, children }: { href: string; under?: string; children: ReactNode }) => {
  const [path] = useLocation()
  const isHere = path === under || path.startsWith(`${under}/`)
  return (
    <Link href={href} aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  )
}

/** For a row of links that is wider than the screen, as on a phone: it shows the link to the current page. */
export const useNavAtPage = (links: number) => {
  const nav = useRef<HTMLElement>(null)
  const [path] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: both decide which link is the current one, and where it is
  useEffect(() => {
    const here = nav.current?.querySelector<HTMLElement>('[aria-current=page]')
    if (!here || !nav.current) return
    const [link, row] = [here.getBoundingClientRect(), nav.current.getBoundingClientRect()]
    nav.current.scrollTo({ left: nav.current.scrollLeft + link.left - row.left - (row.width - link.width) / 2 })
  }, [path, links])
  return nav
}

const ThemeToggle = () => {
  const theme = useTheme()
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={`Use the ${other} theme`}
      onClick={() => chooseTheme(other)}
    >
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
    </button>
  )
}

const SignedInAs = () => {
  const { account, key, isKnown, isUnavailable } = useViewer()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const label = account ? (account.name ?? account.email) : key ? 'Your key' : isUnavailable ? 'Account' : 'Sign in'
  if (!isKnown && !isUnavailable) return null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to what is in it
    <div
      className="menu"
      onBlur={({ currentTarget, relatedTarget }) => {
        // Stays open while the person copies a key from another window.
        if (document.hasFocus() && !currentTarget.contains(relatedTarget)) setOpen(false)
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        currentTarget.querySelector('button')?.focus()
        setOpen(false)
      }}
    >
      <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <Icon name={account ? 'person' : 'key'} />
        <span className="menu-label">{label}</span>
      </Button>
      {isOpen && (
        // A click on its text, or in Safari on a button, focuses the panel instead of nothing.
        <div id={id} className="menu-panel" tabIndex={-1}>
          {isUnavailable && <p>The service has not responded yet, so it is not known whether you are signed in.</p>}
          {account ? <SignedIn /> : <SignIn />}
          <Part>
            <KeyForm onDone={() => setOpen(false)} />
          </Part>
        </div>
      )}
    </div>
  )
}

const SignedIn = () => {
  const { account } = useViewer()
  const queries = useQueryClient()
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      queries.clear()
      location.assign('/app/search')
    },
  })
  return (
    <section>
      <p className="menu-name">{account?.name ?? account?.email}</p>
      <p className="quiet">
        {account?.email}
        <br />
        {account?.plan === 'paid' ? 'Paid plan' : 'Free plan'}
        {account?.role === 'admin' && ' · admin'}
      </p>
      <Button isBusy={leave.isPending} onClick={() => leave.mutate()}>
        Sign out
      </Button>
      <Trouble error={leave.error} />
    </section>
  )
}

const SignIn = () => (
  <section>
    {/* Leaves the app for the identity provider's pages. */}
    <SignInLink className="button primary wide">Sign in</SignInLink>
  </section>
)
