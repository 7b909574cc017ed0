/** Every page of the app, with the module in `pages` that has it. A segment that begins with a colon is a parameter. */
export const PAGE_MODULES = {
  '/app/search': 'search/search-page',
  '/map': 'search/search-page',
  '/app/coverage': 'coverage/coverage-page',
  '/docs': 'docs/docs-page',
  '/app/parcels/:source/:id': 'parcel/parcel-page',
  '/app/companies/:id': 'company/company-page',
  '/app/dashboard': 'dashboard/dashboard-page',
  '/app/lists': 'lists/lists-page',
  '/app/exports': 'exports/exports-page',
  '/app/portfolios': 'portfolios/portfolios-page',
  '/app/portfolios/:id': 'portfolios/portfolio-page',
  '/app/watches': 'watches/watches-page',
  '/app/watches/:id': 'watches/watch-page',
  '/app/console/sources': 'console/sources/sources-page',
  '/app/console/sources/:source': 'console/sources/source-page',
  '/app/console/add-county': 'console/add-county/add-county-page',
  '/app/console/health': 'console/health-page',
  '/app/console/alerts': 'console/alerts/alerts-page',
  '/app/console/jobs': 'console/jobs/jobs-page',
  '/app/console/jobs/:id': 'console/jobs/job-page',
  '/app/console/concurrency': 'console/concurrency/concurrency-page',
  '/app/console/concurrency/:vendor': 'console/concurrency/vendor-page',
  '/app/console/findings': 'console/findings-page',
  '/app/console/work': 'console/work-page',
  '/app/console/tiles': 'console/tiles/tiles-page',
  '/app/console/search-index': 'console/search-index/search-index-page',
  '/app/console/people': 'console/people/people-page',
  '/app/console/activity': 'console/activity-page',
} as const

export type PagePath = keyof typeof PAGE_MODULES

export const PAGE_PATHS = Object.keys(PAGE_MODULES) as readonly PagePath[]
