import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { PAGE_PATHS, type PagePath } from './page-paths'
import { useViewerOfSession, ViewerProvider } from './session/viewer'
import { Shell } from './shell/shell'
import { ErrorBoundary, PageNotFetched } from './ui/error-boundary'
import { Spinner } from './ui/spinner'

/** Each page is its own chunk, fetched when it is first opened. */
const page = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazy(async () => {
    try {
      return { default: (await load())[name] }
    } catch (error) {
      throw new PageNotFetched(error)
    }
  })

const PAGES: Record<PagePath, ComponentType> = {
  '/app/search': page(() => import('./search/search-page'), 'SearchPage'),
  '/map': page(() => import('./search/search-page'), 'MapPage'),
  '/docs': page(() => import('./docs/docs-page'), 'DocsPage'),
  '/app/coverage': page(() => import('./coverage/coverage-page'), 'CoveragePage'),
  '/app/parcels/:source/:id': page(() => import('./parcel/parcel-page'), 'ParcelPage'),
  '/app/companies/:id': page(() => import('./company/company-page'), 'CompanyPage'),
  '/app/dashboard': page(() => import('./dashboard/dashboard-page'), 'DashboardPage'),
  '/app/lists': page(() => import('./lists/lists-page'), 'ListsPage'),
  '/app/exports': page(() => import('./exports/exports-page'), 'ExportsPage'),
  '/app/portfolios': page(() => import('./portfolios/portfolios-page'), 'PortfoliosPage'),
  '/app/portfolios/:id': page(() => import('./portfolios/portfolio-page'), 'PortfolioPage'),
  '/app/watches': page(() => import('./watches/watches-page'), 'WatchesPage'),
  '/app/watches/:id': page(() => import('./watches/watch-page'), 'WatchPage'),
  '/app/console/sources': page(() => import('./console/sources/sources-page'), 'SourcesPage'),
  '/app/console/sources/:source': page(() => import('./console/sources/source-page'), 'SourcePage'),
  '/app/console/add-county': page(() => import('./console/add-county/add-county-page'), 'AddCountyPage'),
  '/app/console/health': page(() => import('./console/health-page'), 'HealthPage'),
  '/app/console/alerts': page(() => import('./console/alerts/alerts-page'), 'AlertsPage'),
  '/app/console/jobs': page(() => import('./console/jobs/jobs-page'), 'JobsPage'),
  '/app/console/jobs/:id': page(() => import('./console/jobs/job-page'), 'JobPage'),
  '/app/console/concurrency': page(() => import('./console/concurrency/concurrency-page'), 'ConcurrencyPage'),
  '/app/console/concurrency/:vendor': page(() => import('./console/concurrency/vendor-page'), 'VendorPage'),
  '/app/console/findings': page(() => import('./console/findings-page'), 'FindingsPage'),
  '/app/console/work': page(() => import('./console/work-page'), 'WorkPage'),
  '/app/console/tiles': page(() => import('./console/tiles/tiles-page'), 'TilesPage'),
  '/app/console/search-index': page(() => import('./console/search-index-page'), 'SearchIndexPage'),
  '/app/console/people': page(() => import('./console/people-page'), 'PeoplePage'),
  '/app/console/activity': page(() => import('./console/activity-page'), 'ActivityPage'),
}

export const App = () => {
  const viewer = useViewerOfSession()
  const [path] = useLocation()
  return (
    <ViewerProvider value={viewer}>
      <Shell>
        <ErrorBoundary key={path}>
          <Suspense fallback={<Spinner label="Loading the page" />}>
            <Switch>
              {PAGE_PATHS.map((path) => (
                <Route key={path} path={path} component={PAGES[path]} />
              ))}
              <Route path="/app">
                <Redirect to="/app/search" replace />
              </Route>
              <Route path="/app/console">
                <Redirect to="/app/console/health" replace />
              </Route>
              <Route component={PageNotFound} />
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </Shell>
    </ViewerProvider>
  )
}

const PageNotFound = () => {
  useEffect(() => {
    document.title = 'Page not found · Parcels'
  }, [])
  return (
    <main className="page" id="main">
      <h1>Page not found</h1>
      <p>
        Check the address for a typo. <Link href="/app/search">Search for a parcel</Link>
      </p>
    </main>
  )
}
