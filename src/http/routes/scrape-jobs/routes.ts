import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { cancelScrapeJobRoute } from './cancel-scrape-job'
import { enqueueAgCountyRoute } from './enqueue-ag-county'
import { enqueueScrapesRoute } from './enqueue-scrapes'
import { getScrapeJobRoute } from './get-scrape-job'
import { listScrapeAttemptsRoute } from './list-scrape-attempts'
import { listScrapeJobsRoute } from './list-scrape-jobs'
import { retryFailedJobsRoute } from './retry-failed-jobs'
import { retryScrapeJobRoute } from './retry-scrape-job'

export const scrapeJobRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listScrapeJobsRoute(deps))
    .use(getScrapeJobRoute(deps))
    .use(listScrapeAttemptsRoute(deps))
    .use(retryScrapeJobRoute(deps))
    .use(retryFailedJobsRoute(deps))
    .use(enqueueScrapesRoute(deps))
    .use(enqueueAgCountyRoute(deps))
    .use(cancelScrapeJobRoute(deps))
