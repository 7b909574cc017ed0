import type { Viewer } from '../session/viewer'

export interface Destination {
  href: string
  label: string
  /** Pages below this path belong to it, too. */
  under?: string
}

/** The pages of the operator's console. */
export const CONSOLE: readonly Destination[] = [
  { href: '/app/console/health', label: 'Health' },
  { href: '/app/console/alerts', label: 'Alerts' },
  { href: '/app/console/sources', label: 'Sources' },
  { href: '/app/console/jobs', label: 'Jobs' },
  { href: '/app/console/concurrency', label: 'Concurrency' },
  { href: '/app/console/findings', label: 'Findings' },
  { href: '/app/console/work', label: 'Work' },
  { href: '/app/console/tiles', label: 'Tiles' },
  { href: '/app/console/search-index', label: 'Search index' },
  { href: '/app/console/people', label: 'People' },
  { href: '/app/console/activity', label: 'Activity' },
]

/** The console is offered to admins, and to those whose key may be an admin's. The service checks every request. */
export const seesConsole = ({ account, key, canAdminister }: Viewer): boolean =>
  account?.role === 'admin' || (account === null && key !== null && canAdminister)

/** The links at the top of every page. */
export const listDestinations = (viewer: Viewer): Destination[] => [
  { href: '/app/search', label: 'Search' },
  { href: '/map', label: 'Map' },
  { href: '/app/coverage', label: 'Coverage' },
  ...(viewer.account ? [{ href: '/app/dashboard', label: 'Keys' }] : []),
  ...(viewer.canRead
    ? [
        { href: '/app/lists', label: 'Lists' },
        ...(viewer.canExport ? [{ href: '/app/exports', label: 'Exports' }] : []),
        { href: '/app/portfolios', label: 'Saved' },
        { href: '/app/watches', label: 'Watches' },
      ]
    : []),
  { href: '/docs', label: 'API' },
  ...(seesConsole(viewer) ? [{ href: '/app/console/health', label: 'Console', under: '/app/console' }] : []),
]
