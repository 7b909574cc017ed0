import { Gauge, type Registry } from 'prom-client'
import type { Sql } from '../../../core/postgres/database'
import { nullInOutage } from '../../../core/postgres/transient-errors'
import { findLongestCrawlWait, listCrawlFigures } from '../../../drizzle/queries/crawls/crawl-figures'

/**
 * The scheduler role's gauges of crawls, from the database; `vendors` are those that can be crawled. Every process of the
 * role reports the same values. During an outage of the database they are unknown, not 0.
 */
export const registerCrawlMetrics = (registry: Registry, sql: Sql, vendors: readonly string[]): void => {
  const registers = [registry]
  new Gauge({
    name: 'crawls',
    help: 'Crawls that have not ended, by vendor and state',
    labelNames: ['vendor', 'state'],
    registers,
    async collect() {
      this.reset()
      for (const { vendor, queued, running } of (await nullInOutage(listCrawlFigures(sql, vendors))) ?? []) {
        this.set({ vendor, state: 'queued' }, queued)
        this.set({ vendor, state: 'running' }, running)
      }
    },
  })
  new Gauge({
    name: 'crawls_longest_wait_seconds',
    help: 'Longest time that a ready crawl has waited; a crawl that pauses for its portal does not count',
    registers,
    async collect() {
      this.set((await nullInOutage(findLongestCrawlWait(sql))) ?? Number.NaN)
    },
  })
}
