import { expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { connectDatabase } from '../../../core/postgres/database'
import { cancelCrawl, startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { beginLoad, type LoadOrder } from '../../../drizzle/queries/loads/begin-load'
import { lockSourceTurns } from '../../../drizzle/queries/loads/source-turns'
import { cancelWork } from '../../../drizzle/queries/work/cancel-work'
import { claimWork } from '../../../drizzle/queries/work/claim-work'
import { FileLoad } from '../../../src/loads/file-load'
import { undoCause } from '../../../src/orders/order-on-load'
import { LAYER, type LayerOptions, startLayer } from '../../adapters/crawl/layer'
import { startProxy } from '../../endurance/chaos/proxy'
import { insertVendor } from '../../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { createTestDatabase, waitFor } from '../../support/servers'
import { insertLayerSource, latestCrawl, type TakeCrawlDeps, takeCrawl } from './crawl-rows'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, url } = await createTestDatabase()
await insertVendor(sql, 'arcgis-rest', 50)
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
const deps: TakeCrawlDeps = {
  ...{ sql, findAdapter, vendors: CRAWLED_VENDORS, review: () => [], log: pino({ level: 'silent' }) },
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
}
const signal = new AbortController().signal
const ids = Array.from({ length: 40 }, (_, index) => index)

/** A source whose portal and stored parcels have the owners `OLD 0`, `OLD 1`, and so on. */
const addSource = async (source: string) => {
  await insertLayerSource(sql, source, '')
  await serve(source, { attributes: (id) => ({ PIN: `P-${id}`, OWNER: `OLD ${id}` }) })
  await takeCrawl(deps, { id: await startCrawl(sql, source, 'test'), signal })
  await sql`update sources set load_limits = '{"owner": 1}' where source = ${source}`
}

const serve = (source: string, layer: Partial<LayerOptions>) =>
  sql`update sources set base_url = ${startLayer({ ids, maxRecordCount: 20, ...layer }).url + LAYER} where source = ${source}`

/** A file with the stored owners, except that of the first parcel. */
const FILE = ids.map((id) => ({
  ...{ sourceParcelId: `P-${id}`, ownerName: id === 0 ? 'FROM THE FILE' : `OLD ${id}`, origin: { line: id + 1 } },
}))

const openFile = (source: string, say: (line: string) => void = () => {}) =>
  new FileLoad(
    sql,
    { source, kind: 'ingest', isComplete: true, asOf: null, file: 'list.csv', createdBy: 'test' },
    { say, signal: null, step: (run) => run() },
  )

const finish = (file: FileLoad) =>
  file.finish(
    { read: FILE.length, rejected: 0, inserted: 0, updated: 0, unchanged: 0 },
    { isStopped: false, reject: () => {} },
  )

/** How many owners each load was going to change when it was compared, and how many it has changed. */
const listOwnerChanges = async (source: string) => [
  ...(await sql`
    select l.kind, coalesce((jsonb_path_query_first(l.verdict, '$.checks[*] ? (@.check == "owner")') ->> 'count')::int, 0) as compared,
      (select count(*)::int from parcel_changes c where c.cause_id = l.id and c.changes ? 'owner_name' and c.action = 'changed') as changed
    from loads l where source = ${source} and verdict is not null order by l.applied_at`),
]

/** A layer whose second page waits for `letGo`. */
const holdLayer = () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const before = ({ searchParams }: URL) => (searchParams.get('where')?.includes('OID_1 > 19') ? promise : undefined)
  return { before, letGo: () => resolve(undefined) }
}
const NEW_OWNERS = (id: number) => ({ PIN: `P-${id}`, OWNER: `NEW ${id}` })

test('a crawl does not begin while a file of its source is loaded, so that each changes what it was compared with', async () => {
  await addSource('file-first')
  await serve('file-first', { attributes: NEW_OWNERS })
  const file = openFile('file-first')
  await file.write(FILE, [])
  const id = await startCrawl(sql, 'file-first', 'test')
  await takeCrawl(deps, { id, signal })
  expect((await finish(file))?.status).toBe('applied')
  await takeCrawl(deps, { id, signal })
  expect(await latestCrawl(sql, 'file-first')).toMatchObject({ status: 'done', updated: 40 })
  expect(await listOwnerChanges('file-first')).toEqual([
    { kind: 'ingest', compared: 1, changed: 1 },
    { kind: 'crawl', compared: 40, changed: 40 },
  ])
})

test('a file waits for a crawl of its source that has begun, and requests about loads are refused and name the crawl', async () => {
  await addSource('crawl-first')
  const first = (await latestCrawl(sql, 'crawl-first')).id
  const { before, letGo } = holdLayer()
  await serve('crawl-first', { attributes: NEW_OWNERS, before })
  const id = await startCrawl(sql, 'crawl-first', 'test')
  const crawling = takeCrawl(deps, { id, signal })
  await waitFor(async () => (await latestCrawl(sql, 'crawl-first')).pages === 1)
  const said: string[] = []
  const file = openFile('crawl-first', (line) => said.push(line))
  const written = file.write(FILE, [])
  await waitFor(() => said.length > 0)
  expect(said).toEqual([`a crawl of crawl-first is running (${id}): waiting for it to end`])
  expect(sql.begin((tx) => undoCause(tx, first, 'test'))).rejects.toThrow(
    `a crawl of crawl-first is running (work ${id}): try again when it has ended`,
  )
  letGo()
  await Promise.all([crawling, written])
  expect((await finish(file))?.status).toBe('applied')
  expect(await listOwnerChanges('crawl-first')).toEqual([
    { kind: 'crawl', compared: 40, changed: 40 },
    { kind: 'ingest', compared: 40, changed: 40 },
  ])
})

test('a crawl that waits for a retry after its first page counts as running; one that has not begun does not', async () => {
  await addSource('paused')
  const id = await startCrawl(sql, 'paused', 'test')
  const file = openFile('paused')
  await file.write(FILE, [])
  await finish(file)
  await sql`update work set cursor = 'after page 1', not_before = now() + interval '1 hour' where id = ${id}`
  const said: string[] = []
  const second = openFile('paused', (line) => said.push(line))
  const written = second.write(FILE, [])
  await waitFor(() => said.length > 0)
  await cancelCrawl(sql, { source: 'paused' }, 'cancelled by a test')
  await written
  expect((await finish(second))?.status).toBe('applied')
})

test('if a crawl and a file begin at the same time, one of them waits', async () => {
  await addSource('race')
  for (let round = 0; round < 10; round++) {
    const id = await startCrawl(sql, 'race', 'test')
    const load: LoadOrder = {
      ...{ id: Bun.randomUUIDv7(), source: 'race', isComplete: false, asOf: null, file: null, cleared: [] },
      ...{ kind: 'ingest', createdBy: 'test' },
    }
    const [claimed, begun] = await Promise.all([
      claimWork(sql, { kind: 'crawl', vendors: ['arcgis-rest'], id, leaseMs: 60_000 }),
      beginLoad(sql, load, 60_000),
    ])
    expect(claimed.length + (begun === null ? 0 : 1)).toBe(1)
    await cancelWork(sql, id ?? '', 'cancelled by a test')
    await cancelWork(sql, load.id, 'cancelled by a test')
  }
})

test('a command that froze while it began a load delays the loads and crawls of other sources by 30 s at most', async () => {
  await addSource('frozen')
  const proxy = await startProxy(Number(new URL(url).port))
  const command = connectDatabase(proxy.through(url), { max: 1, applicationName: 'frozen' })
  const order: LoadOrder = {
    ...{ id: Bun.randomUUIDv7(), source: 'frozen', kind: 'ingest', isComplete: false, asOf: null, file: 'list.csv' },
    ...{ cleared: [], createdBy: 'test' },
  }
  const isWaiting = async (event: string) =>
    (
      await sql`select from pg_stat_activity where application_name = 'frozen' and ${event} in (wait_event_type, wait_event)`
    ).length > 0
  let begun: Promise<unknown> | undefined
  await sql.begin(async (tx) => {
    await tx`lock table parcels in access exclusive mode`
    begun = beginLoad(command, order, 30_000).catch(() => {})
    await waitFor(() => isWaiting('Lock'))
    proxy.swallow('all')
  })
  // The server has read the statement and waits for its values.
  await waitFor(() => isWaiting('ClientRead'))
  const frozenAt = performance.now()
  await sql.begin((tx) => lockSourceTurns(tx))
  expect(performance.now() - frozenAt).toBeLessThan(35_000)
  await proxy.stop()
  await command.end({ timeout: 0 })
  await begun
})
