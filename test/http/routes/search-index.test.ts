import { afterAll, expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { listIndexedInstances } from '../../../search/index/indexed-instances'
import { connectMeilisearch, indexNames } from '../../../search/index/indexes'
import { createSearchSync, type SearchSync } from '../../../search/sync/sync'
import { testMeilisearch, waitFor } from '../../support/servers'
import { readEventStream, waitForEarlierEvents } from '../event-source'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'

const meili = testMeilisearch()
const indexPrefix = `work_${process.pid}_`
const { app, sql, url, call, readKey } = await createTestApp({
  indexedInstances: listIndexedInstances(meili, indexPrefix),
})
await insertCounty(sql)
const running: SearchSync[] = []
afterAll(() => Promise.all(running.map((sync) => sync.stop())))
const startSync = () => {
  const sync = createSearchSync({ databaseUrl: url, meili, indexPrefix })
  running.push(sync)
  sync.start()
  return sync
}

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
/** The state of all instances. There is only one. */
const state = async () => {
  const { instances, ...all } = (await call('/v1/admin/search-index')).body
  expect(instances).toEqual([
    { ...all, instance: new URL(meili.url).host, states: 'all', outbox_age_seconds: expect.any(Number) },
  ])
  return all
}
const ask = (work: 'check' | 'rebuild', key = ADMIN_KEY) =>
  call(`/v1/admin/search-index/${work}`, { method: 'POST', key })
const openEvents = async () => {
  await waitForEarlierEvents(sql)
  const { body } = await app.handle(
    new Request('http://localhost/v1/events?types=reindex', { headers: { 'x-service-key': ADMIN_KEY } }),
  )
  if (body === null) throw new Error('no body')
  return readEventStream(body)
}

test('without an index, only the lag is known', async () => {
  await upsertParcels(
    sql,
    'elm',
    Array.from({ length: 5_000 }, (_, n) => ({ sourceParcelId: `p${n}`, ownerName: 'NOMINAL' })),
  )
  await sql`update search_outbox set changed_at = now() - interval '1 minute'`
  const { outbox_age_seconds, ...rest } = await state()
  expect(rest).toEqual({ documents: null, outbox_depth: 5_000, drift: null, check: null, rebuild: null })
  expect(outbox_age_seconds).toBeGreaterThanOrEqual(60)
})

test('a requested rebuild is done by the leader, reports its progress, and is refused while one runs', async () => {
  const { events, cancel } = await openEvents()
  expect(await ask('rebuild')).toMatchObject({ status: 202, body: { work: 'rebuild', state: 'requested' } })
  expect(await ask('rebuild')).toMatchObject({
    status: 409,
    body: { error: 'a rebuild of the search index is already requested or running: wait until it ends' },
  })
  await waitFor(() => events.length === 1)
  startSync()
  await waitFor(() => events.at(-1)?.data.state === 'done')
  await cancel()
  expect(events[0]).toMatchObject({ event: 'reindex', data: { work: 'rebuild', state: 'requested' } })
  expect(events[1]).toMatchObject({
    event: 'reindex',
    data: { work: 'rebuild', state: 'running', done: 0, total: 5_000 },
  })
  expect(events.at(-1)?.data).toMatchObject({ work: 'rebuild', state: 'done', done: 5_000, total: 5_000 })
  expect(await state()).toEqual({
    documents: 5_000,
    outbox_depth: 0,
    outbox_age_seconds: 0,
    drift: null,
    check: null,
    rebuild: {
      running: false,
      state: 'done',
      requested_by: ADMIN_KEY.slice(0, 8),
      requested_at: MOMENT,
      started_at: MOMENT,
      finished_at: MOMENT,
      error: null,
      done: 5_000,
      total: 5_000,
    },
  })
})

test('a running leader rebuilds an existing index on request', async () => {
  const before = (await state()).rebuild.finished_at
  expect((await ask('rebuild')).status).toBe(202)
  await waitFor(async () => (await state()).rebuild.state === 'done')
  expect((await state()).rebuild.finished_at > before).toBe(true)
})

test('a check counts missing, surplus and different documents and sends them again', async () => {
  const client = connectMeilisearch(meili)
  const uid = indexNames(indexPrefix).parcels
  const rows = await sql<{ id: string }[]>`select id from parcels order by id limit 4`
  const [missing, other, different, same] = rows.map(({ id }) => id)
  const index = client.index(uid)
  const done = async ({ taskUid }: { taskUid: number }) =>
    waitFor(async () => ['succeeded', 'failed'].includes((await client.tasks.getTask(taskUid)).status))
  await done(await index.deleteDocuments([missing ?? '', other ?? '']))
  await done(await index.updateDocuments([{ id: different, checksum: 'x' }]))
  const stray = { ...(await index.getDocument(same ?? '')), id: crypto.randomUUID() }
  await done(await index.addDocuments([stray]))

  const { events, cancel } = await openEvents()
  expect((await ask('check')).status).toBe(202)
  await waitFor(() => events.at(-1)?.data.state === 'done')
  await cancel()
  expect(events.map(({ data }) => data.state)).toEqual(['requested', 'running', 'done'])
  const { drift, check } = await state()
  expect(drift).toEqual({ checked_at: MOMENT, missing: 2, extra: 1, different: 1 })
  expect(check).toMatchObject({ running: false, state: 'done', requested_by: ADMIN_KEY.slice(0, 8), error: null })
  await waitFor(async () => (await state()).documents === 5_000)
})

test('a check from the command line counts as the last check, and leaves the state of a requested check that is running', async () => {
  const before = (await state()).drift.checked_at
  const command = createSearchSync({ databaseUrl: url, meili, indexPrefix })
  await command.repair()
  const { drift, check } = await state()
  expect(drift).toEqual({ checked_at: MOMENT, missing: 0, extra: 0, different: 0 })
  expect(drift.checked_at > before).toBe(true)
  expect(check).toMatchObject({ running: false, state: 'done', requested_by: null, requested_at: null })

  // The state that a running leader has.
  await sql`
    insert into work (kind, subject, status, requested_by, lease_expires_at)
    values ('search_check', 'search', 'running', 'someone', now() + interval '1 minute')`
  await command.repair()
  expect(await state()).toMatchObject({ drift, check: { state: 'running', requested_by: 'someone' } })
  await sql`delete from work where status = 'running'`
})

test('a rebuild whose leader stops is done by the next leader', async () => {
  for (const sync of running.splice(0)) await sync.stop()
  expect((await ask('rebuild')).status).toBe(202)
  // The state that a killed leader leaves.
  await sql`update work set status = 'running', started_at = now(), lease_expires_at = now() where kind = 'search_rebuild' and status = 'queued'`
  const requestedAt = (await state()).rebuild.requested_at
  startSync()
  await waitFor(async () => (await state()).rebuild.state === 'done')
  expect((await state()).rebuild.requested_at).toBe(requestedAt)
})

test('work that a dead leader left running does not block a new request', async () => {
  for (const sync of running.splice(0)) await sync.stop()
  await sql`insert into work (kind, subject, status, lease_expires_at) values ('search_check', 'search', 'running', now())`
  expect((await ask('check')).status).toBe(202)
})

test('each of several instances has its state, and one can be rebuilt alone', async () => {
  const several = listIndexedInstances([
    { ...meili, states: { codes: ['OR'], isExcept: false } },
    { url: 'http://127.0.0.1:9', masterKey: null, states: { codes: ['OR'], isExcept: true } },
  ])
  const other = await createTestApp({ indexedInstances: several })
  const rebuild = (body: object) => other.call('/v1/admin/search-index/rebuild', { method: 'POST', body })
  const names = several.map(({ name }) => name)
  expect(await rebuild({ instance: 'elsewhere:7700' })).toMatchObject({
    status: 400,
    body: { error: `instance must be one of ${names.join(', ')}` },
  })
  expect((await rebuild({ instance: '127.0.0.1:9' })).status).toBe(202)
  expect((await rebuild({ instance: '127.0.0.1:9' })).status).toBe(409)
  await other.sql`
    insert into search_instance_outbox (instance, kind, id, seq, changed_at)
    values ('127.0.0.1:9', 'parcel', uuidv7(), 1, now() - interval '1 hour')`
  const { body } = await other.call('/v1/admin/search-index')
  expect(body).toMatchObject({ documents: null, outbox_depth: 1, check: null, rebuild: { state: 'requested' } })
  expect(body.instances).toMatchObject([
    { instance: names[0], states: 'OR', outbox_depth: 0, rebuild: null },
    {
      instance: '127.0.0.1:9',
      states: 'all but OR',
      documents: null,
      outbox_depth: 1,
      rebuild: { state: 'requested' },
    },
  ])
  expect(body.instances[1].outbox_age_seconds).toBeGreaterThanOrEqual(3_600)
  // The other one follows when all are requested.
  expect((await rebuild({})).status).toBe(202)
  expect((await rebuild({})).status).toBe(409)
})

test('403: a key without admin; 503 without Meilisearch', async () => {
  const key = await readKey()
  expect((await call('/v1/admin/search-index', { key })).status).toBe(403)
  for (const work of ['check', 'rebuild'] as const) expect((await ask(work, key)).status).toBe(403)
  const other = await createTestApp()
  expect(await other.call('/v1/admin/search-index/rebuild', { method: 'POST' })).toMatchObject({ status: 503 })
})
