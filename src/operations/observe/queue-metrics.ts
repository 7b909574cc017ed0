import { Gauge, type Registry } from 'prom-client'
import type { Sql } from '../../../core/postgres/database'
import { nullInOutage } from '../../../core/postgres/transient-errors'
import { findOldestJobs, listVendorFigures } from '../../../drizzle/queries/jobs/dispatch/queue-figures'

/**
 * The scheduler role's gauges of all queues, from the database. Every process of the role reports the same values, so dashboards take
 * the `max`. While the database is down, nothing is reported, because unknown is not 0.
 */
export const registerQueueMetrics = (registry: Registry, sql: Sql): void => {
  const registers = [registry]
  const jobs = new Gauge({
    name: 'scrape_jobs',
    help: 'Scrape jobs that have not ended, by vendor and state',
    labelNames: ['vendor', 'state'],
    registers,
    collect: () => refresh(),
  })
  const oldest = new Gauge({
    name: 'scrape_jobs_oldest_seconds',
    help: 'How long the oldest queued job has waited, and the oldest running job has run',
    labelNames: ['state'],
    registers,
    collect: () => refresh(),
  })
  const target = new Gauge({
    name: 'scrape_concurrency_target',
    help: 'Target of concurrent scrapes per vendor, set by the tuner or an operator',
    labelNames: ['vendor'],
    registers,
    collect: () => refresh(),
  })
  const breaker = new Gauge({
    name: 'scrape_breaker_open',
    help: "1 while the breaker is open: too many of a vendor's jobs failed, and only one per minute is tried",
    labelNames: ['vendor'],
    registers,
    collect: () => refresh(),
  })
  const paused = new Gauge({
    name: 'scrape_vendor_paused',
    help: '1 while an operator has paused the vendor: none of its jobs start',
    labelNames: ['vendor'],
    registers,
    collect: () => refresh(),
  })

  const read = async (): Promise<void> => {
    for (const gauge of [jobs, oldest, target, breaker, paused]) gauge.reset()
    const found = await nullInOutage(Promise.all([listVendorFigures(sql), findOldestJobs(sql)]))
    if (found === null) return
    const [vendors, ages] = found
    for (const figures of vendors) {
      const { vendor } = figures
      jobs.set({ vendor, state: 'queued' }, figures.queued)
      jobs.set({ vendor, state: 'running' }, figures.running)
      if (figures.target !== null) target.set({ vendor }, figures.target)
      breaker.set({ vendor }, Number(figures.isBreakerOpen))
      paused.set({ vendor }, Number(figures.isPaused))
    }
    oldest.set({ state: 'queued' }, ages.queued)
    oldest.set({ state: 'running' }, ages.running)
  }
  /** All gauges are collected together and share one query. */
  let reading: Promise<void> | null = null
  const refresh = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = null
    })
    return reading
  }
}
