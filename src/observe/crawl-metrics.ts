import { Gauge, type Registry } from 'prom-client'
import type { Sql } from '../../core/postgres/database'
import { findLongestCrawlWait, listCrawlFigures } from '../../drizzle/queries/crawls/crawl-figures'

/**
 * What the scheduler role reports of crawls, as the database has it; `vendors` are those that can be crawled. Every process of the
 * role reports the same. While the database is away, what is not known is not 0.
 */
export const registerCrawlMetrics = (registry: Registry, sql: Sql, vendors: readonly string[]): void => {
  const registers = [registry]
  new Gauge({
    name: 'crawls',
    help: 'Full scrapes of sources that have not ended, by vendor and state',
    labelNames: ['vendor', 'state'],
    registers,
    async collect() {
      this.reset()
      for (const { vendor, queued, running } of await listCrawlFigures(sql, vendors).catch(() => [])) {
        this.set({ vendor, state: 'queued' }, queued)
        this.set({ vendor, state: 'running' }, running)
      }
    },
  })
  new Gauge({
    name: 'crawls_longest_wait_seconds',
    help: 'How long the crawl that waits longest could have been gone on with; one that pauses for its portal does not wait',
    registers,
    async collect() {
      this.set(await findLongestCrawlWait(sql).catch(() => Number.NaN))
    },
  })
}
