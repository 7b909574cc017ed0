import { type ComponentType, Suspense } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { PAGE_PATHS, type PagePath } from './page-paths'
import { useViewerOfSession, ViewerProvider } from './session/viewer'
import { Shell } from './shell/shell'
import { ErrorBoundary } from './ui/page/error-boundary'
import { Page } from './ui/page/page'
import { fetchLater } from './ui/page/part'
import { Spinner } from './ui/spinner'

/** Each page is its own chunk, fetched when it is first opened. */
const page = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  fetchLater(async () => (await load())[name])

const PAGES: Record<PagePath, ComponentType> = {
  '/app/search': page(() => import('./pages/search/search-page'), 'SearchPage'),
  '/map': page(() => import('./pages/search/search-page'), 'MapPage'),
  '/docs': page(() => import('./pages/docs/docs-page'), 'DocsPage'),
  '/app/coverage': page(() => import('./pages/coverage/coverage-page'), 'CoveragePage'),
  '/app/parcels/:source/:id': page(() => import('./pages/parcel/parcel-page'), 'ParcelPage'),
  '/app/companies/:id': page(() => import('./pages/company/company-page'), 'CompanyPage'),
  '/app/dashboard': page(() => import('./pages/dashboard/dashboard-page'), 'DashboardPage'),
  '/app/lists': page(() => import('./pages/lists/lists-page'), 'ListsPage'),
  '/app/exports': page(() => import('./pages/exports/exports-page'), 'ExportsPage'),
  '/app/portfolios': page(() => import('./pages/portfolios/portfolios-page'), 'PortfoliosPage'),
  '/app/portfolios/:id': page(() => import('./pages/portfolios/portfolio-page'), 'PortfolioPage'),
  '/app/watches': page(() => import('./pages/watches/watches-page'), 'WatchesPage'),
  '/app/watches/:id': page(() => import('./pages/watches/watch-page'), 'WatchPage'),
  '/app/console/sources': page(() => import('./pages/console/sources/sources-page'), 'SourcesPage'),
  '/app/console/sources/:source': page(() => import('./pages/console/sources/source-page'), 'SourcePage'),
  '/app/console/add-county': page(() => import('./pages/console/add-county/add-county-page'), 'AddCountyPage'),
  '/app/console/health': page(() => import('./pages/console/health-page'), 'HealthPage'),
  '/app/console/alerts': page(() => import('./pages/console/alerts/alerts-page'), 'AlertsPage'),
  '/app/console/jobs': page(() => import('./pages/console/jobs/jobs-page'), 'JobsPage'),
  '/app/console/jobs/:id': page(() => import('./pages/console/jobs/job-page'), 'JobPage'),
  '/app/console/concurrency': page(() => import('./pages/console/concurrency/concurrency-page'), 'ConcurrencyPage'),
  '/app/console/concurrency/:vendor': page(() => import('./pages/console/concurrency/vendor-page'), 'VendorPage'),
  '/app/console/findings': page(() => import('./pages/console/findings-page'), 'FindingsPage'),
  '/app/console/work': page(() => import('./pages/console/work-page'), 'WorkPage'),
  '/app/console/tiles': page(() => import('./pages/console/tiles/tiles-page'), 'TilesPage'),
  '/app/console/search-index': page(() => import('./pages/console/search-index/search-index-page'), 'SearchIndexPage'),
  '/app/console/people': page(() => import('./pages/console/people/people-page'), 'PeoplePage'),
  '/app/console/activity': page(() => import('./pages/console/activity-page'), 'ActivityPage'),
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

const PageNotFound = () => (
  <Page title="Page not found">
    <p>
      Check the URL for a typo. <Link href="/app/search">Search for a parcel</Link>
    </p>
  </Page>
)
