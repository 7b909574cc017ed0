import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readWatermark } from '../../../drizzle/queries/changes/read-watermark'
import { upsertEntities } from '../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { CANDIDATE_ATTRIBUTE, decodeEntity } from '../../../search/index/candidates'
import { connectMeilisearch, indexNames } from '../../../search/index/indexes'
import { createSearchSync, type SearchSync } from '../../../search/sync/sync'
import { startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { createTestDatabase, testMeilisearch, waitFor } from '../../support/servers'
import { shortestTime } from '../../support/shortest-time'

const { url, sql } = await createTestDatabase()
await sql`
  insert into sources (source, state, county_name, vendor, base_url)
  values ('here_or', 'OR', 'Here', 'pacs', 'https://example.com')
`
const meili = testMeilisearch()
const indexPrefix = `sync_${process.pid}_`
const indexes = indexNames(indexPrefix)
const client = connectMeilisearch(meili)
const running: SearchSync[] = []
afterAll(() => Promise.all(running.map((sync) => sync.stop())))

const create = (more: Partial<Parameters<typeof createSearchSync>[0]> = {}) => {
  const sync = createSearchSync({ databaseUrl: url, meili, indexPrefix, ...more })
  running.push(sync)
  return sync
}

const parcels = (from: number, count: number, ownerName = 'NOMINAL OWNER') =>
  Array.from({ length: count }, (_, index) => ({ sourceParcelId: `n${from + index}`, ownerName }))

const findDocument = async (sourceParcelId: string, uid = indexes.parcels) => {
  const [row] = await sql<{ id: string }[]>`select id from parcels where source_parcel_id = ${sourceParcelId}`
  return client
    .index<Record<string, unknown>>(uid)
    .getDocument(row?.id ?? 'none')
    .catch(() => null)
}

const findDatasetVersion = async () =>
  client
    .index<{ version: number }>(indexes.meta)
    .getDocument('dataset')
    .then(({ version }) => version)
    .catch(() => null)

const countDocuments = async () => (await client.index(indexes.parcels).getStats()).numberOfDocuments

test('inserts, updates, deletes and changes of a source reach the index', async () => {
  const sync = create()
  sync.start()
  await waitFor(() => sync.status().leading)
  await upsertParcels(sql, 'here_or', parcels(0, 3))
  await upsertEntities(sql, 'OR', [{ registryNumber: 'E1', name: 'NOMINAL OWNER' }])
  await sync.drain()
  expect(await findDocument('n0')).toMatchObject({ name: 'nominal owner', state: 'OR', county_name: 'Here' })
  const { results } = await client.index(indexes.entities).getDocuments()
  expect(results.map((document) => decodeEntity(document[CANDIDATE_ATTRIBUTE]))).toMatchObject([
    { name: 'NOMINAL OWNER', linkedParcelCount: 3 },
  ])

  await upsertParcels(sql, 'here_or', [{ sourceParcelId: 'n0', ownerName: 'SOMEBODY ELSE' }])
  await sql`update sources set county_name = 'There', state = 'WA' where source = 'here_or'`
  await sync.drain()
  expect(await findDocument('n0')).toMatchObject({ name: 'somebody else', state: 'WA', county_name: 'There' })

  await sql`delete from parcels where source_parcel_id = 'n1'`
  await sync.drain()
  expect(await countDocuments()).toBe(2)
  expect(await sync.depth()).toBe(0)
  await sync.stop()
})

test('a change is searchable within 1.5 s', async () => {
  const sync = create()
  sync.start()
  await waitFor(() => sync.status().leading)
  await sync.drain()
  let parcels = 0
  const change = async () => {
    parcels++
    await upsertParcels(sql, 'here_or', [{ sourceParcelId: `quick-${parcels}`, ownerName: 'QUICKSILVER' }])
    await waitFor(async () => (await client.index(indexes.parcels).search('quicksilver')).hits.length === parcels)
  }
  expect(await shortestTime(1_500, change)).toBeLessThan(1_500)
  await sync.stop()
})

test('one process leads; when it stops, the other takes over', async () => {
  const [a, b] = [create(), create()]
  a.start()
  await waitFor(() => a.status().leading)
  b.start()
  await waitFor(async () => {
    const asked = await sql`
      select from pg_stat_activity
      where application_name like '%-leader' and state = 'idle' and query like '%leaders%' and datname = current_database()`
    return asked.length > 1
  })
  expect(b.status().leading).toBe(false)
  await a.stop()
  await waitFor(() => b.status().leading)
  await upsertParcels(sql, 'here_or', [{ sourceParcelId: 'n0', ownerName: 'AFTER THE CHANGE' }])
  await b.drain()
  expect(await findDocument('n0')).toMatchObject({ name: 'after the change' })
  await b.stop()
})

test('stopped during a load: the next leader sends the rest, and the index matches the database', async () => {
  for (let round = 0; round < 3; round++) {
    const sync = create()
    sync.start()
    await waitFor(() => sync.status().leading)
    const loading = (async () => {
      for (let page = 0; page < 5; page++) {
        await upsertParcels(sql, 'here_or', parcels(1000 + page * 500, 500, `ROUND ${round}`))
      }
    })()
    await Bun.sleep(20 + round * 60)
    await sync.stop()
    await loading
  }
  const sync = create()
  sync.start()
  await waitFor(() => sync.status().leading)
  await sync.drain()
  expect(await sync.repair()).toMatchObject({ parcels: 0, entities: 0 })
  expect(await findDocument('n3499')).toMatchObject({ name: 'round 2' })
  await sync.stop()
})

test("when the leader's connection is cut, it leads again and loses nothing", async () => {
  const sync = create()
  sync.start()
  await waitFor(() => sync.status().leading)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'search-sync%' and datname = current_database()`
  await upsertParcels(sql, 'here_or', [{ sourceParcelId: 'n0', ownerName: 'AFTER THE CUT' }])
  await waitFor(async () => (await findDocument('n0'))?.name === 'after the cut')
  await sync.stop()
})

test('drift is found, document by document, and repaired', async () => {
  const sync = create()
  sync.start()
  await waitFor(() => sync.status().leading)
  await sync.drain()
  const stray = '00000000-0000-7000-8000-000000000001'
  const lost = (await findDocument('n2'))?.id as string
  const old = (await findDocument('n0'))?.id as string
  await client.index(indexes.parcels).deleteDocument(lost).waitTask()
  await client
    .index(indexes.parcels)
    .addDocuments([
      { id: stray, name: 'left over', checksum: 'x' },
      { id: old, name: 'outdated', checksum: 'y' },
    ])
    .waitTask()
  const { parcels, examples } = await sync.repair()
  expect(parcels).toBe(3)
  expect(examples).toContainEqual({ kind: 'parcel', id: stray, how: 'left over' })
  expect(examples).toContainEqual({ kind: 'parcel', id: lost, how: 'missing' })
  expect(examples).toContainEqual({ kind: 'parcel', id: old, how: 'outdated' })
  await sync.drain()
  expect(await sync.repair()).toMatchObject({ parcels: 0, entities: 0 })
  await sync.stop()
})

test('a rebuild swaps in a complete index while changes flow, and takes the lead from the process that has it', async () => {
  const follower = create()
  follower.start()
  await waitFor(() => follower.status().leading)
  const rebuilder = create()
  const progress: number[] = []
  let changes = 0
  let rebuilding = true
  const changing = (async () => {
    while (rebuilding) {
      await upsertParcels(sql, 'here_or', [
        { sourceParcelId: `n${1000 + (changes % 500)}`, ownerName: `CHANGE ${changes++}` },
      ])
      await Bun.sleep(5)
    }
  })()
  const documents = await rebuilder.rebuild((done) => progress.push(done))
  rebuilding = false
  await changing
  expect(documents).toBeGreaterThan(2_500)
  expect(progress.at(-1)).toBe(documents)
  await waitFor(() => follower.status().leading)
  await follower.drain()
  expect(await follower.repair()).toMatchObject({ parcels: 0, entities: 0 })
  await follower.stop()
})

test('when Meilisearch is killed and restarted, nothing is lost; if it returns empty, it is filled again', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'search-sync-'))
  const startServer = async () => {
    const server = await startMeilisearch(dir)
    if (server === null) throw new Error('there is no Meilisearch for this platform')
    return server
  }
  let server = await startServer()
  // A restarted server has another port, but the sync keeps its URL.
  const proxy = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'GET' ? null : await request.text()
      return fetch(`${server.url}${pathname}${search}`, { method: request.method, headers: request.headers, body })
    },
    error: () => new Response('away', { status: 502 }),
  })
  const address = { url: `http://127.0.0.1:${proxy.port}`, masterKey: server.masterKey }
  const sync = create({ meili: address, indexPrefix: '' })
  sync.start()
  await waitFor(() => sync.status().leading && sync.status().rebuild === null)
  await sync.drain()

  const loading = (async () => {
    for (let page = 0; page < 5; page++) {
      await upsertParcels(sql, 'here_or', parcels(1000 + page * 500, 500, 'AFTER THE KILL'))
    }
  })()
  await Bun.sleep(50)
  process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')), 'SIGKILL')
  await server.exited
  await loading
  await waitFor(() => sync.status().lastError !== null)
  server = await startServer()
  await sync.drain()
  expect(await sync.repair()).toMatchObject({ parcels: 0, entities: 0 })

  await server.stop()
  rmSync(join(dir, 'data.ms'), { recursive: true })
  server = await startServer()
  const rows = await sql`select id from parcels`
  const count = async () =>
    (
      await connectMeilisearch(address)
        .index('parcels')
        .getStats()
        .catch(() => null)
    )?.numberOfDocuments
  await waitFor(async () => (await count()) === rows.length)
  expect(await sync.repair()).toMatchObject({ parcels: 0, entities: 0 })

  await sync.stop()
  await proxy.stop(true)
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

test('a first build includes the outbox, and sends nothing twice', async () => {
  const other = await createTestDatabase()
  await other.sql`insert into sources (source, state, county_name, vendor, base_url) values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`
  await upsertParcels(
    other.sql,
    'elm',
    Array.from({ length: 500 }, (_, index) => ({ sourceParcelId: String(index), ownerName: `Owner ${index}` })),
  )
  const first = createSearchSync({
    databaseUrl: other.url,
    meili: testMeilisearch(),
    indexPrefix: `${other.url.split('/').at(-1)}_`,
  })
  first.start()
  await first.drain()
  expect(first.status().confirmed).toBe(0)
  expect(await first.depth()).toBe(0)
  expect(await first.repair()).toMatchObject({ parcels: 0, entities: 0 })
  await first.stop()
})

test('the metadata of the index say which version of the record it reflects', async () => {
  const sync = create()
  sync.start()
  await upsertParcels(sql, 'here_or', [{ sourceParcelId: 'versioned', ownerName: 'FIRST OWNER' }])
  const first = await readWatermark(sql)
  await waitFor(async () => ((await findDatasetVersion()) ?? 0) >= first)
  expect(await findDocument('versioned')).toMatchObject({ name: 'first owner' })
  await upsertParcels(sql, 'here_or', [{ sourceParcelId: 'versioned', ownerName: 'SECOND OWNER' }])
  const second = await readWatermark(sql)
  await waitFor(async () => (await findDatasetVersion()) === second)
  expect(await findDocument('versioned')).toMatchObject({ name: 'second owner' })
  await sync.stop()
})

test('settings of another version, and an index that has them, are replaced by a shadow rebuild while searches are answered', async () => {
  const before = create()
  before.start()
  await waitFor(() => before.status().leading)
  await upsertParcels(sql, 'here_or', [{ sourceParcelId: 'settled', ownerName: 'SETTLED OWNER' }])
  await before.drain()
  await before.stop()
  // As an earlier version left them.
  const { results } = await client.index<{ id: string }>(indexes.meta).getDocuments()
  await client
    .index(indexes.meta)
    .updateDocuments(results.map(({ id }) => ({ id, settings_version: 'old' })))
    .waitTask()
  await client.index(indexes.parcels).updateSearchableAttributes(['situs_address']).waitTask()

  const events: string[] = []
  const after = create({ onEvent: ({ kind }) => events.push(kind) })
  after.start()
  let failures = 0
  while (!events.includes('rebuilt')) {
    const found = await client
      .index(indexes.parcels)
      .search('')
      .catch(() => null)
    if ((found?.hits.length ?? 0) === 0) failures++
    await Bun.sleep(5)
  }
  expect(failures).toBe(0)
  expect((await client.index(indexes.parcels).search('settled owner')).hits).toHaveLength(1)
  await after.drain()
  expect(events.filter((kind) => kind === 'rebuild_started')).toHaveLength(1)
  await after.stop()
})
