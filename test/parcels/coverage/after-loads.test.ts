import { expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { countParcels } from '../../../drizzle/queries/coverage/count-parcels'
import { storeCoverage } from '../../../drizzle/queries/coverage/store-coverage'
import { startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { parseFieldMap } from '../../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../../src/ingest/fields/fields'
import { ingestParcels } from '../../../src/ingest/ingest'
import { createLoadRunner } from '../../../src/work/load-runner'
import { takeWork } from '../../../src/work/take-work'
import { LAYER, startLayer } from '../../adapters/crawl/layer'
import { createTestApp, insertCounty } from '../../http/test-app'
import { inFolder, writeFixture } from '../../ingest/files/write-fixture'
import { insertVendor } from '../../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { waitFor } from '../../support/servers'
import { insertLayerSource, takeCrawl } from '../../work/crawls/crawl-rows'
import { countNow } from './count'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, call } = await createTestApp()
const log = pino({ level: 'silent' })
const signal = new AbortController().signal
const doWork = () => takeWork({ sql, runner: createLoadRunner({ log }), log }, { signal })

const load = async (source: string, ids: readonly string[]) => {
  const file = writeFixture('parcels.csv', ['source_parcel_id,owner_name', ...ids.map((id) => `${id},ADA`)].join('\n'))
  const map = parseFieldMap('', PARCEL_FIELDS)
  const options = { file, map, rejectsFile: inFolder('parcels.rejects.csv'), isComplete: true }
  const { load } = await ingestParcels(sql, source, options)
  expect(load?.status).toBe('applied')
  return load?.id ?? ''
}
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `P${index}`)
const counted = async (source: string) => {
  const [row] = await sql<
    { parcels: number; retired: number }[]
  >`select parcels::int, retired::int from source_coverage where source = ${source}`
  return row && [row.parcels, row.retired]
}

test('when a load or an undo is done, or a source is deleted or restored, the coverage has the new figures', async () => {
  await insertCounty(sql, 'elm')
  await countNow(sql)
  await load('elm', numbered(10))
  expect(await counted('elm')).toEqual([10, 0])
  // Ten percent of the parcels may be retired.
  const second = await load('elm', numbered(9))
  expect(await counted('elm')).toEqual([9, 1])
  await call(`/v1/loads/${second}/undo`, { method: 'POST' })
  await doWork()
  expect(await counted('elm')).toEqual([10, 0])
  await call('/v1/sources/elm', { method: 'DELETE' })
  await doWork()
  expect(await counted('elm')).toEqual([0, 10])
  await call('/v1/sources/elm/restore', { method: 'POST' })
  await doWork()
  expect(await counted('elm')).toEqual([10, 0])
})

test('when a load is done, the coverage has its changes, each once, although the scheduler counts at the same time', async () => {
  await insertCounty(sql, 'lime')
  const changes = async () =>
    (await sql`select sum(changes)::int as sum from source_days where source = 'lime'`)[0]?.sum
  await load('lime', numbered(50))
  expect(await changes()).toBe(50)
  const counting = Array.from({ length: 20 }, () => countNow(sql))
  await load('lime', numbered(100))
  expect(await changes()).toBe(100)
  await Promise.all(counting)
  expect(await changes()).toBe(100)
})

test('when a crawl is done, the coverage has its parcels', async () => {
  await insertVendor(sql, 'arcgis-rest', 50)
  const { url } = startLayer({ ids: [1] })
  await insertLayerSource(sql, 'oak', url + LAYER)
  await countNow(sql)
  const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
  const deps = {
    ...{ sql, findAdapter, vendors: CRAWLED_VENDORS, review: () => [], log },
    createContext: (source: string) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  }
  await takeCrawl(deps, { id: await startCrawl(sql, 'oak', 'operator'), signal })
  expect(await counted('oak')).toEqual([1, 0])
})

test('a load that changes fewer than one percent of the parcels leaves the count to the scheduler', async () => {
  await insertCounty(sql, 'ash')
  await load('ash', numbered(300))
  await load('ash', numbered(302))
  expect(await counted('ash')).toEqual([300, 0])
})

test('a count that began before another one does not replace it', async () => {
  await insertCounty(sql, 'fir')
  await load('fir', numbered(3))
  const { last: _, ...earlier } = await countParcels(sql, 'fir', { after: 'P1', limit: 10 })
  expect(earlier.parcels).toBe(1)
  await storeCoverage(sql, 'fir', earlier, 0)
  expect(await counted('fir')).toEqual([3, 0])
})

test('the kept document is replaced when a load ends or a source is deleted, before its minute is over', async () => {
  const parcels = async (source: string) =>
    (await call('/v1/coverage', { key: null })).body.sources.find((one: { source: string }) => one.source === source)
      ?.parcels
  await insertCounty(sql, 'yew')
  const startedAt = performance.now()
  expect(await parcels('yew')).toBeUndefined()
  await load('yew', numbered(5))
  await waitFor(async () => (await parcels('yew')) === 5)
  await call('/v1/sources/yew', { method: 'DELETE' })
  await waitFor(async () => (await parcels('yew')) === undefined)
  expect(performance.now() - startedAt).toBeLessThan(55_000)
})
