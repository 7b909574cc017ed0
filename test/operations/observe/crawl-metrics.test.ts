import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { connectDatabase } from '../../../core/postgres/database'
import { cancelCrawl, startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { registerCrawlCounters } from '../../../src/operations/observe/crawl-counters'
import { registerCrawlMetrics } from '../../../src/operations/observe/crawl-metrics'
import { LAYER, type LayerOptions, startLayer } from '../../adapters/crawl/layer'
import { insertVendor } from '../../jobs/job-rows'
import { createTestDatabase } from '../../support/servers'
import { insertLayerSource, type TakeCrawlDeps, takeCrawl } from '../../work/crawls/crawl-rows'

const { sql } = await createTestDatabase()
await insertVendor(sql, 'arcgis-rest', 5)
const registry = new Registry()
registerCrawlMetrics(registry, sql, CRAWLED_VENDORS)
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
const deps: TakeCrawlDeps = {
  ...{ sql, findAdapter, vendors: CRAWLED_VENDORS, review: () => [], log: pino({ level: 'silent' }) },
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  watcher: registerCrawlCounters(registry, CRAWLED_VENDORS),
}
const ids = [1, 2, 3, 4, 5]
const never = new AbortController().signal

/** Samples of one metric, keyed by label values. */
const samples = async (name: string, from = registry): Promise<Record<string, number>> => {
  const lines = (await from.metrics()).matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (.*)$`, 'gm'))
  return Object.fromEntries(
    [...lines].map(([, labels = '', value]) => [labels.replaceAll(/\w+="([^"]*)"/g, '$1'), Number(value)]),
  )
}
const begin = async (source: string, layer: LayerOptions, config?: Record<string, unknown>): Promise<string> => {
  await insertLayerSource(sql, source, startLayer(layer).url + LAYER, config)
  return (await startCrawl(sql, source, 'operator')) ?? ''
}

test('unfinished crawls are counted by vendor and state, only for vendors that can be crawled', async () => {
  const none = { 'arcgis-rest,running': 0, 'socrata-soda,queued': 0, 'socrata-soda,running': 0 }
  expect(await samples('crawls')).toEqual({ 'arcgis-rest,queued': 0, ...none })
  for (const source of ['ash', 'elm']) await begin(source, { ids })
  expect(await samples('crawls')).toEqual({ 'arcgis-rest,queued': 2, ...none })
  await sql`update work set vendor = 'of-former-times' where source = 'ash'`
  await sql`update work set status = 'running', lease_expires_at = now() + interval '1 minute' where source = 'elm'`
  expect(await samples('crawls')).toEqual({ 'arcgis-rest,queued': 0, ...none, 'arcgis-rest,running': 1 })
  await sql`delete from work`
})

test('the longest wait counts only crawls that could continue: queued, past their pause, or without their worker', async () => {
  const wait = async () => (await samples('crawls_longest_wait_seconds'))['']
  expect(await wait()).toBe(0)
  const id = await begin('oak', { ids })
  await sql`update work set created_at = now() - interval '1 hour', not_before = now() - interval '91 s' where id = ${id}`
  // Allow a second more: times are rounded to whole milliseconds.
  expect(await wait()).toBeWithin(90, 120)
  await sql`update work set not_before = now() + interval '90 s' where id = ${id}`
  expect(await wait()).toBe(0)
  await sql`update work set status = 'running', lease_expires_at = now() + interval '1 minute' where id = ${id}`
  expect(await wait()).toBe(0)
  await sql`update work set lease_expires_at = now() - interval '31 s' where id = ${id}`
  expect(await wait()).toBeWithin(30, 60)
  await sql`delete from work`
})

test('the wait of work that is handed back counts from that time, not from when it was queued', async () => {
  const stop = new AbortController()
  const id = await begin('fir', { ids, before: () => Bun.sleep(30).then(() => undefined) })
  await sql`update work set created_at = now() - interval '1 hour', not_before = now() - interval '1 hour' where id = ${id}`
  const taken = takeCrawl(deps, { id, signal: stop.signal })
  stop.abort(new Error('stop'))
  await taken
  expect(await samples('crawls')).toMatchObject({ 'arcgis-rest,queued': 1 })
  expect((await samples('crawls_longest_wait_seconds'))['']).toBeLessThan(20)
  // It can still be taken immediately.
  expect(await takeCrawl(deps, { id, signal: never })).toBe(true)
})

test('ended crawls are counted from 0, so that an alert on the increase is raised by the first that fails', async () => {
  const none = { 'arcgis-rest,done': 0, 'arcgis-rest,error': 0, 'socrata-soda,done': 0, 'socrata-soda,error': 0 }
  const idle = new Registry()
  registerCrawlCounters(idle, CRAWLED_VENDORS)
  expect(await samples('crawls_ended_total', idle)).toEqual(none)
})

test('a worker counts records by result, and its ended crawls by status', async () => {
  registry.getSingleMetric('crawl_records_total')?.reset()
  registry.getSingleMetric('crawls_ended_total')?.reset()
  const attributes = (id: number) => ({ PIN: id === 5 ? null : `P-${id}`, OWNER: 'ROSE' })
  const first = await begin('yew', { ids, attributes })
  await takeCrawl(deps, { id: first, signal: never })
  const again = (await startCrawl(sql, 'yew', 'operator')) ?? ''
  await takeCrawl(deps, { id: again, signal: never })
  const changed = await begin('box', { ids }, { columns: { parcel_id: 'LOT' } })
  await takeCrawl(deps, { id: changed, signal: never })
  const cancelled = (await startCrawl(sql, 'yew', 'operator')) ?? ''
  await cancelCrawl(sql, { source: 'yew' }, 'cancelled by operator')
  expect(await takeCrawl(deps, { id: cancelled, signal: never })).toBe(false)
  expect(await samples('crawl_records_total')).toEqual({
    ...{ 'arcgis-rest,inserted': 4, 'arcgis-rest,updated': 0, 'arcgis-rest,unchanged': 4, 'arcgis-rest,rejected': 2 },
  })
  expect(await samples('crawls_ended_total')).toEqual({ 'arcgis-rest,done': 2, 'arcgis-rest,error': 1 })
})

test('while the database is down nothing is reported, and other metrics stay', async () => {
  const away = new Registry()
  const lost = connectDatabase('postgres://nobody@127.0.0.1:9/none', { max: 1 })
  registerCrawlMetrics(away, lost, CRAWLED_VENDORS)
  expect(await samples('crawls', away)).toEqual({})
  expect(await samples('crawls_longest_wait_seconds', away)).toEqual({ '': Number.NaN })
})
