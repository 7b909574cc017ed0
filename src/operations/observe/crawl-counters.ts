import { Counter, type Registry } from 'prom-client'
import type { CrawlWatcher } from '../../work/crawl-runner'

/**
 * Counters of a worker's crawls; `vendors` are those that can be crawled. Both states begin at 0: Prometheus sees no increase when a counter
 * appears with its first value.
 */
export const registerCrawlCounters = (registry: Registry, vendors: readonly string[]): CrawlWatcher => {
  const registers = [registry]
  const records = new Counter({
    name: 'crawl_records_total',
    help: 'Records of crawled layers, by vendor and what the crawl does with them. They are visible when the crawl is applied',
    labelNames: ['vendor', 'outcome'],
    registers,
  })
  const ended = new Counter({
    name: 'crawls_ended_total',
    help: 'Crawls that ended as done or error, by vendor, without cancelled ones',
    labelNames: ['vendor', 'state'],
    registers,
  })
  for (const vendor of vendors) for (const state of ['done', 'error']) ended.inc({ vendor, state }, 0)
  return {
    onStored(vendor, counts) {
      for (const [outcome, count] of Object.entries(counts)) records.inc({ vendor, outcome }, count)
    },
    onEnded(vendor, state) {
      ended.inc({ vendor, state })
    },
  }
}
