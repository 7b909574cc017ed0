import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase } from '../../core/postgres/database'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { listIndexedInstances } from '../../search/index/indexed-instances'
import { connectMeilisearch, indexNames } from '../../search/index/indexes'
import { createSearchSync, type SyncEvent } from '../../search/sync/sync'
import { keepTilesBuilt } from '../../tiles-build/keep-built'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { startMeilisearchProxy } from '../search/meilisearch-proxy'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { testMeilisearch, waitFor } from '../support/servers'

/** Cancels tile builds and work on the search index while they run, on real servers. */

setDefaultTimeout(TEST_TIMEOUT_MS)

const PARCELS = 3_000
const meili = testMeilisearch()
const indexPrefix = `cancel_${process.pid}_`
const { sql, url, call, tileStore } = await createTestApp({
  indexedInstances: listIndexedInstances(meili, indexPrefix),
})
await seedSampleCounty(sql, { parcels: PARCELS, entities: 0 })
const workDir = mkdtempSync(join(tmpdir(), 'cancel-'))
const stops: (() => unknown)[] = [() => rmSync(workDir, { recursive: true, force: true })]
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

/** While it is closed, every caller of `pass` waits. */
const createGate = () => {
  let opened = Promise.withResolvers<void>()
  opened.resolve()
  let waiting = 0
  return {
    close: () => {
      opened = Promise.withResolvers<void>()
    },
    open: () => opened.resolve(),
    isHolding: () => waiting > 0,
    pass: async () => {
      waiting++
      await opened.promise
      waiting--
    },
  }
}

const findRunning = async (kind: string): Promise<string | null> =>
  (await call(`/v1/work?kind=${kind}&status=running`)).body.work[0]?.id ?? null
/** Waits until work of the kind runs, and cancels it. */
const cancelRunning = async (kind: string): Promise<string> => {
  await waitFor(async () => (await findRunning(kind)) !== null)
  const id = (await findRunning(kind)) ?? ''
  expect(await call(`/v1/work/${id}`, { method: 'DELETE' })).toMatchObject({
    status: 200,
    body: {
      id,
      kind,
      status: 'error',
      error_code: 'cancelled',
      error_message: `cancelled by ${ADMIN_KEY.slice(0, 8)}`,
    },
  })
  return id
}
/** Work that was cancelled must stay as it was. */
const expectCancelled = async (id: string) =>
  expect((await call(`/v1/work/${id}`)).body).toMatchObject({ status: 'error', error_code: 'cancelled' })

const tiles = async () => (await call('/v1/admin/tiles')).body
const orderBuild = () => call('/v1/admin/tiles/build', { method: 'POST' })
const storing = createGate()
const startTilesRole = () => {
  const store = {
    ...tileStore,
    put: async (...archive: Parameters<typeof tileStore.put>) => {
      await storing.pass()
      return tileStore.put(...archive)
    },
  }
  const role = keepTilesBuilt({ databaseUrl: url, store, workDir, onBuilt: () => {}, onFailed: () => {} })
  stops.push(() => role.stop())
}

test('a tile build that is cancelled while it reads stops; the old archive stays, and the next request publishes a new one', async () => {
  startTilesRole()
  await waitFor(async () => (await tiles()).manifest !== null && (await tiles()).building === null)
  const { manifest } = await tiles()
  await sql`update parcels set owner_name = 'ANOTHER'`

  const holder = connectDatabase(url, { max: 1 })
  let cancelled = ''
  await holder.begin(async (tx) => {
    await tx`lock table parcels in access exclusive mode`
    expect((await orderBuild()).status).toBe(202)
    cancelled = await cancelRunning('tile_build')
    expect(await tiles()).toMatchObject({ manifest, building: null, requested: null })
    // The builder has not stopped yet. The next request waits for it.
    expect((await orderBuild()).status).toBe(202)
  })
  await holder.end()

  await waitFor(async () => (await tiles()).manifest.url !== manifest.url)
  await expectCancelled(cancelled)
  const { builds } = await tiles()
  expect(builds.map(({ state, error }: { state: string; error: string | null }) => [state, error])).toEqual([
    ['published', null],
    ['failed', 'the build was cancelled'],
    ['retired', null],
  ])
  await waitFor(() => readdirSync(workDir).length === 0)
})

test('a tile build that is cancelled while its archive is stored is not published', async () => {
  const { manifest } = await tiles()
  await sql`update parcels set owner_name = 'YET ANOTHER'`
  storing.close()
  expect((await orderBuild()).status).toBe(202)
  await waitFor(storing.isHolding)
  const cancelled = await cancelRunning('tile_build')
  storing.open()
  await waitFor(async () => (await tiles()).builds[0].state === 'failed')
  expect(await tiles()).toMatchObject({ manifest, building: null, requested: null })
  await expectCancelled(cancelled)

  expect((await orderBuild()).status).toBe(202)
  await waitFor(async () => (await tiles()).builds[0].state === 'published')
  expect((await tiles()).manifest.url).not.toBe(manifest.url)
})

const client = connectMeilisearch(meili)
const indexes = indexNames(indexPrefix)
const documents = createGate()
const proxy = startMeilisearchProxy(() => meili.url, {
  hold: async (request) => {
    if (/parcels(_shadow)?\/documents/.test(request.url)) await documents.pass()
  },
})
stops.push(() => proxy.stop())
const address = { url: proxy.url, masterKey: meili.masterKey }
const events: SyncEvent[] = []
const startSync = () => {
  const sync = createSearchSync({
    databaseUrl: url,
    meili: address,
    indexPrefix,
    onEvent: (event) => events.push(event),
  })
  stops.push(() => sync.stop())
  sync.start()
  return sync
}
const searchIndex = async () => (await call('/v1/admin/search-index')).body
const orderSearch = (kind: 'check' | 'rebuild') => call(`/v1/admin/search-index/${kind}`, { method: 'POST' })
const listShadows = async () => {
  const { results } = await client.getRawIndexes({ limit: 1_000 })
  const shadows: string[] = [indexes.shadowParcels, indexes.shadowEntities]
  return results.map(({ uid }) => uid).filter((uid) => shadows.includes(uid))
}

test('a check of the search index that is cancelled while it runs reports nothing, and the next request completes', async () => {
  await startSync().drain()
  documents.close()
  expect((await orderSearch('check')).status).toBe(202)
  await waitFor(documents.isHolding)
  const cancelled = await cancelRunning('search_check')
  expect(await searchIndex()).toMatchObject({ drift: null, check: { running: false, state: 'failed' } })
  expect((await orderSearch('check')).status).toBe(202)
  documents.open()
  await waitFor(async () => (await searchIndex()).check.state === 'done')
  expect((await searchIndex()).drift).toMatchObject({ missing: 0, extra: 0, different: 0 })
  await expectCancelled(cancelled)
  expect(events.filter(({ kind }) => kind === 'drift_checked')).toHaveLength(1)
})

test('a rebuild of the search index that is cancelled while it runs leaves the live index and no other, and the next request completes', async () => {
  documents.close()
  expect((await orderSearch('rebuild')).status).toBe(202)
  await waitFor(documents.isHolding)
  const cancelled = await cancelRunning('search_rebuild')
  documents.open()
  await waitFor(() => events.some(({ kind }) => kind === 'rebuild_cancelled'))
  await waitFor(async () => (await listShadows()).length === 0)
  expect(await searchIndex()).toMatchObject({ documents: PARCELS, rebuild: { running: false, state: 'failed' } })
  expect((await orderSearch('rebuild')).status).toBe(202)
  await waitFor(async () => (await searchIndex()).rebuild.state === 'done')
  expect(await searchIndex()).toMatchObject({ documents: PARCELS, rebuild: { done: PARCELS, total: PARCELS } })
  await expectCancelled(cancelled)
  expect(await listShadows()).toEqual([])
})

test('a rebuild on the command line that is cancelled ends with an error', async () => {
  documents.close()
  const rebuild = createSearchSync({ databaseUrl: url, meili: address, indexPrefix }).rebuild()
  rebuild.catch(() => {})
  await waitFor(documents.isHolding)
  await cancelRunning('search_rebuild')
  documents.open()
  expect(rebuild).rejects.toMatchObject({ code: 'cancelled' })
  await rebuild.catch(() => {})
  await waitFor(async () => (await listShadows()).length === 0)
  expect((await searchIndex()).documents).toBe(PARCELS)
})
