import { Counter, type Registry } from 'prom-client'
import type { CrawlWatcher } from '../jobs/take-crawl'

/** What a worker did of crawls. */
export const registerCrawlCounters = (registry: Registry): CrawlWatcher => {
  const registers = [registry]
  const records = new Counter({
    name: 'crawl_records_total',
    help: 'Records of whole layers that were stored, by vendor and what became of them; rejected ones are not stored',
    labelNames: ['vendor', 'outcome'],
    registers,
  })
  const ended = new Counter({
    name: 'crawls_ended_total',
    help: 'Full scrapes of sources that were done, or given up as errors, by vendor; cancelled ones are neither',
    labelNames: ['vendor', 'state'],
    registers,
  })
  return {
    onStored(vendor, counts) {
      for (const [outcome, count] of Object.entries(counts)) records.inc({ vendor, outcome }, count)
    },
    onEnded(vendor, state) {
      ended.inc({ vendor, state })
    },
  }
}
