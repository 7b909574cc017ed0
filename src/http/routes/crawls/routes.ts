import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { cancelCrawlRoute } from './cancel-crawl'
import { getCrawlRoute } from './get-crawl'
import { listCrawlsRoute } from './list-crawls'
import { startCrawlRoute } from './start-crawl'

export const crawlRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listCrawlsRoute(deps))
    .use(getCrawlRoute(deps))
    .use(startCrawlRoute(deps))
    .use(cancelCrawlRoute(deps))
