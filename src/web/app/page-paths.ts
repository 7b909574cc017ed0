/** Every page of the app. A segment that begins with a colon is a parameter. */
export const PAGE_PATHS = [
  '/app/search',
  '/map',
  '/app/coverage',
  '/docs',
  '/app/parcels/:source/:id',
  '/app/companies/:id',
  '/app/dashboard',
  '/app/lists',
  '/app/exports',
  '/app/watches',
  '/app/watches/:id',
  '/app/console/sources',
  '/app/console/sources/:source',
  '/app/console/health',
  '/app/console/jobs',
  '/app/console/jobs/:id',
  '/app/console/concurrency',
  '/app/console/concurrency/:vendor',
  '/app/console/findings',
  '/app/console/work',
  '/app/console/tiles',
  '/app/console/search-index',
  '/app/console/people',
  '/app/console/activity',
] as const

export type PagePath = (typeof PAGE_PATHS)[number]
