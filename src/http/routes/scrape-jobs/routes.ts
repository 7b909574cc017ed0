import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { cancelScrapeJobRoute } from './cancel-scrape-job'
import { cancelScrapeJobsRoute } from './cancel-scrape-jobs'
import { enqueueAgCountyRoute } from './enqueue-ag-county'
import { enqueueScrapesRoute } from './enqueue-scrapes'
import { getJobTotalsRoute } from './get-job-totals'
import { getScrapeJobRoute } from './get-scrape-job'
import { listScrapeAttemptsRoute } from './list-scrape-attempts'
import { listScrapeJobsRoute } from './list-scrape-jobs'
import { orderRefreshRoute } from './order-refresh'
import { retryFailedJobsRoute } from './retry-failed-jobs'
import { retryScrapeJobRoute } from './retry-scrape-job'

export const scrapeJobRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listScrapeJobsRoute(deps))
    .use(getJobTotalsRoute(deps))
    .use(getScrapeJobRoute(deps))
    .use(listScrapeAttemptsRoute(deps))
    .use(retryScrapeJobRoute(deps))
    .use(retryFailedJobsRoute(deps))
    .use(enqueueScrapesRoute(deps))
    .use(enqueueAgCountyRoute(deps))
    .use(orderRefreshRoute(deps))
    .use(cancelScrapeJobsRoute(deps))
    .use(cancelScrapeJobRoute(deps))
