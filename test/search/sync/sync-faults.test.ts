import { afterAll, afterEach, expect, test } from 'bun:test'
import { CHANNELS } from '../../../core/channels'
import { upsertEntities } from '../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { connectMeilisearch, indexNames } from '../../../search/index/indexes'
import { createSearchSync, type SearchSync, type SyncEvent } from '../../../search/sync/sync'
import { createTestDatabase, testMeilisearch, waitFor } from '../../support/servers'
import { readBothSides } from '../expected-index'
import { type Interference, startMeilisearchProxy } from '../meilisearch-proxy'

const { url, sql } = await createTestDatabase()
await sql`
  insert into sources (source, state, county_name, vendor, base_url)
  values ('fault_or', 'OR', 'Fault', 'pacs', 'https://example.com')
`
const meili = testMeilisearch()
const indexPrefix = `faults_${process.pid}_`
const indexes = indexNames(indexPrefix)
const client = connectMeilisearch(meili)
const running: SearchSync[] = []
const proxies: { stop: () => Promise<void> }[] = []
// A test that fails must not keep the lead from the next ones.
afterEach(() => Promise.all(running.splice(0).map((sync) => sync.stop())))
afterAll(() => Promise.all(proxies.map((proxy) => proxy.stop())))

const start = (more: Partial<Parameters<typeof createSearchSync>[0]> = {}) => {
  const events: SyncEvent[] = []
  const sync = createSearchSync({
    databaseUrl: url,
    meili,
    indexPrefix,
    onEvent: (event) => events.push(event),
    ...more,
  })
  running.push(sync)
  sync.start()
  return { sync, events }
}

const proxy = (findUrl: () => string | null, interference?: Interference) => {
  const started = startMeilisearchProxy(findUrl, interference)
  proxies.push(started)
  return { url: started.url, masterKey: meili.masterKey }
}

const write = (from: number, count: number, ownerName: string) =>
  upsertParcels(
    sql,
    'fault_or',
    Array.from({ length: count }, (_, n) => ({ sourceParcelId: `f${from + n}`, ownerName })),
  )

const idOf = async (sourceParcelId: string): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`select id from parcels where source_parcel_id = ${sourceParcelId}`
  return row?.id ?? 'none'
}

const expectAgreement = async () => {
  const { wanted, indexed } = await readBothSides(sql, meili, indexPrefix)
  expect(indexed).toEqual(wanted)
}

test('the sync waits for a Meilisearch that is down at the start, and the lag metric shows how long', async () => {
  let away = true
  const { sync, events } = start({ meili: proxy(() => (away ? null : meili.url)) })
  await write(0, 300, 'WAITING OWNER')
  await waitFor(() => events.some(({ kind }) => kind === 'failed'))
  await waitFor(async () => (await sync.lagSeconds()) > 0.2)
  expect(await sync.depth()).toBe(300)
  away = false
  await sync.drain()
  expect(await sync.lagSeconds()).toBe(0)
  await expectAgreement()
  await sync.stop()
})

test('a document that Meilisearch refuses is skipped and logged; the others do not wait for it', async () => {
  const bad = await idOf('f7')
  // Real refusals by Meilisearch itself: it accepts no id with a space.
  const address = proxy(() => meili.url, {
    rewriteRequest: (body) => body.replaceAll(`"id":"${bad}","source"`, '"id":"no id","source"'),
  })
  const { sync, events } = start({ meili: address })
  await waitFor(() => sync.status().leading)
  await write(0, 300, 'RENAMED OWNER')
  await sync.drain()
  const refused = events.filter((event) => event.kind === 'refused')
  expect(refused).toMatchObject([{ document: 'parcel', id: bad }])
  expect(await client.index(indexes.parcels).getDocument(await idOf('f299'))).toMatchObject({
    name: 'renamed owner',
  })
  expect(await client.index(indexes.parcels).getDocument(bad)).toMatchObject({ name: 'waiting owner' })
  await sync.stop()

  const healthy = start()
  await waitFor(() => healthy.sync.status().leading)
  expect(await healthy.sync.repair()).toMatchObject({ parcels: 1, entities: 0 })
  await healthy.sync.drain()
  await expectAgreement()
  await healthy.sync.stop()
})

test('a document that Meilisearch refuses does not keep a rebuild from ending', async () => {
  const bad = await idOf('f8')
  const address = proxy(() => meili.url, {
    rewriteRequest: (body) => body.replaceAll(`"id":"${bad}","source"`, '"id":"no id","source"'),
  })
  const events: SyncEvent[] = []
  const rebuilder = createSearchSync({
    databaseUrl: url,
    meili: address,
    indexPrefix,
    onEvent: (event) => events.push(event),
  })
  expect(await rebuilder.rebuild()).toBe(300)
  expect(events).toContainEqual(expect.objectContaining({ kind: 'refused', id: bad }))
  const { sync } = start()
  await waitFor(() => sync.status().leading)
  expect(await sync.repair()).toMatchObject({ parcels: 1 })
  await sync.drain()
  await expectAgreement()
  await sync.stop()
})

test('changes and rebuild pages that are too large for one request are sent in smaller ones', async () => {
  let refused = 0
  const address = proxy(() => meili.url, {
    // The response of a Meilisearch that was started with a smaller limit.
    answer: ({ headers }) => {
      if (Number(headers.get('content-length')) < 60_000) return undefined
      refused++
      return Response.json(
        { message: 'too large', code: 'payload_too_large', type: 'invalid_request' },
        { status: 413 },
      )
    },
  })
  const { sync, events } = start({ meili: address })
  await waitFor(() => sync.status().leading)
  await write(0, 300, 'OWNER OF A LARGE REQUEST')
  await sync.drain()
  expect(refused).toBeGreaterThan(0)
  expect(events.some(({ kind }) => kind === 'refused' || kind === 'failed')).toBe(false)
  await expectAgreement()
  await sync.stop()

  const refusedBefore = refused
  expect(await createSearchSync({ databaseUrl: url, meili: address, indexPrefix }).rebuild()).toBe(300)
  expect(refused).toBeGreaterThan(refusedBefore)
  await expectAgreement()
})

test('a full disk loses nothing: failed tasks are sent again until there is space', async () => {
  let full = true
  const address = proxy(() => meili.url, {
    // The test cannot fill a disk, so it changes the tasks to Meilisearch's error text.
    rewriteAnswer: (request, body) =>
      full && request.method === 'GET' && request.url.includes('/tasks')
        ? body
            .replaceAll('"status":"succeeded"', '"status":"failed"')
            .replaceAll(
              '"error":null',
              '"error":{"message":"No space left on device","code":"no_space_left_on_device","type":"system","link":""}',
            )
        : body,
  })
  const { sync, events } = start({ meili: address })
  await waitFor(() => sync.status().leading)
  await write(0, 50, 'OWNER ON A FULL DISK')
  await waitFor(() => events.filter(({ kind }) => kind === 'failed').length >= 2)
  expect(await sync.depth()).toBe(50)
  expect(sync.status().lastError).toContain('No space left')
  expect(events.some(({ kind }) => kind === 'refused')).toBe(false)
  full = false
  await sync.drain()
  await expectAgreement()
  await sync.stop()
})

test('a deleted index is rebuilt with its settings, although its meta document still exists', async () => {
  const { sync } = start()
  await waitFor(() => sync.status().leading)
  await sync.drain()
  await client.deleteIndex(indexes.parcels).waitTask()
  await write(0, 10, 'OWNER OF AN INDEX THAT IS GONE')
  // Meilisearch recreates the index without settings for these rows, unless the rebuild comes first.
  await waitFor(async () => (await sync.depth()) === 0 && sync.status().rebuild === null)
  await waitFor(async () => {
    const stats = await client
      .index(indexes.parcels)
      .getStats()
      .catch(() => null)
    return stats?.numberOfDocuments === 300
  })
  await sync.drain()
  const { filterableAttributes } = await client.index(indexes.parcels).getSettings()
  expect(filterableAttributes).not.toEqual([])
  await expectAgreement()
  await sync.stop()
})

test('the next leader removes the remains of an interrupted rebuild', async () => {
  await client.createIndex(indexes.shadowParcels, { primaryKey: 'id' }).waitTask()
  const { sync } = start()
  await waitFor(async () => {
    const { results } = await client.getRawIndexes({ limit: 1_000 })
    return !results.some(({ uid }) => uid === indexes.shadowParcels)
  })
  await sync.stop()
})

test('the leader compares index and database on its own, and repairs differences', async () => {
  await client
    .index(indexes.parcels)
    .deleteDocument(await idOf('f3'))
    .waitTask()
  const { sync, events } = start({ driftCheck: { firstMs: 50, everyMs: 100 } })
  const checks = () => events.filter((event) => event.kind === 'drift_checked')
  await waitFor(() => checks().length >= 2)
  expect(checks()[0]).toMatchObject({ parcels: 1, entities: 0, examples: [{ how: 'missing' }] })
  await waitFor(() => checks().at(-1)?.parcels === 0)
  // A repair that is being sent is no difference to a check. A busy Meilisearch may apply it after the second check.
  await sync.drain()
  await expectAgreement()
  await sync.stop()
})

test('a leader whose start failed starts again, and another process can still take over', async () => {
  await sql`alter table work rename to work_away`
  const { sync, events } = start()
  await waitFor(() => events.filter(({ kind }) => kind === 'failed').length >= 2)
  expect(sync.status().leading).toBe(false)
  await sql`alter table work_away rename to work`
  await waitFor(() => sync.status().leading)
  expect(await createSearchSync({ databaseUrl: url, meili, indexPrefix }).rebuild()).toBe(300)
  await sync.stop()
})

test('changes that are being sent do not count as drift', async () => {
  const { sync } = start({ meili: proxy(() => meili.url) })
  await waitFor(() => sync.status().leading)
  await sync.stop()
  await write(0, 20, 'NOT SENT YET')
  const idle = createSearchSync({ databaseUrl: url, meili, indexPrefix })
  expect(await idle.repair()).toMatchObject({ parcels: 0, entities: 0 })
})

test('parcels of a deactivated source stay searchable; deleted parcels and entities do not', async () => {
  const { sync } = start()
  await waitFor(() => sync.status().leading)
  await upsertEntities(sql, 'OR', [{ registryNumber: 'F1', name: 'SHORT LIVED LLC' }])
  await sql`update sources set active = false where source = 'fault_or'`
  await sync.drain()
  expect((await client.index(indexes.parcels).getStats()).numberOfDocuments).toBe(300)
  expect((await client.index(indexes.entities).getStats()).numberOfDocuments).toBe(1)
  await sql`delete from entities`
  await sql`delete from parcels where source = 'fault_or' and source_parcel_id = 'f5'`
  await sync.drain()
  expect((await client.index(indexes.parcels).getStats()).numberOfDocuments).toBe(299)
  expect((await client.index(indexes.entities).getStats()).numberOfDocuments).toBe(0)
  await expectAgreement()
  await sync.stop()
})

test('a statement that changes no searched field wakes no process', async () => {
  const heard: string[] = []
  const { unlisten } = await sql.listen(CHANNELS.searchOutbox, (payload) => heard.push(payload))
  await write(0, 1, 'THE SAME')
  await waitFor(() => heard.length > 0)
  const before = heard.length
  await write(0, 1, 'THE SAME')
  await sql`update parcels set value_land = 3`
  await sql`update sources set active = true`
  await sql`delete from parcels where source_parcel_id = 'there is none'`
  // Notifications arrive in commit order: this one arrives after any of the above.
  await write(1, 1, 'ANOTHER')
  await waitFor(() => heard.length > before)
  expect(heard.length).toBe(before + 1)
  await unlisten()
})
