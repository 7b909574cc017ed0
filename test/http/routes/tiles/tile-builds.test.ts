import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLeader } from '../../../../core/postgres/leader/leader'
import { seedSampleCounty } from '../../../../dev/sample-county/load'
import { readWatermark } from '../../../../drizzle/queries/changes/read-watermark'
import { findDrawnChanges } from '../../../../drizzle/queries/tiles/published-tiles'
import {
  beginTileBuild,
  endUnchangedTileBuild,
  setTileBuildProgress,
  tileDuty,
} from '../../../../drizzle/queries/tiles/tile-builds'
import { keepTilesBuilt } from '../../../../tiles-build/keep-built'
import { waitFor } from '../../../support/servers'
import { readEventStream, waitForEarlierEvents } from '../../event-source'
import { ADMIN_KEY, createTestApp } from '../../test-app'

const { app, sql, url, call, readKey, tileStore } = await createTestApp()
const workDir = mkdtempSync(join(tmpdir(), 'tile-builds-'))
afterAll(() => rmSync(workDir, { recursive: true, force: true }))

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const build = (key = ADMIN_KEY, body?: unknown) => call('/v1/admin/tiles/build', { method: 'POST', key, body })
const state = async (layer = 'parcels') => (await call(`/v1/admin/tiles?layer=${layer}`)).body

/** The tiles role, which checks for changes once a minute. */
const startTilesRole = () =>
  keepTilesBuilt({ databaseUrl: url, store: tileStore, workDir, onBuilt: () => {}, onFailed: () => {} })

const openEvents = async () => {
  await waitForEarlierEvents(sql)
  const { body } = await app.handle(
    new Request('http://localhost/v1/events?types=tile_build', { headers: { 'x-service-key': ADMIN_KEY } }),
  )
  if (body === null) throw new Error('no body')
  return readEventStream(body)
}

test('before the first build a request waits for the tiles role, and a second one is refused', async () => {
  expect(await state()).toEqual({ manifest: null, requested: null, building: null, count: 0, builds: [], layers: [] })
  expect(await build()).toMatchObject({ status: 202, body: { layer: 'parcels', state: 'requested' } })
  expect((await state()).requested).toEqual({ requested_at: MOMENT, requested_by: ADMIN_KEY.slice(0, 8), filter: {} })
  expect(await build()).toMatchObject({
    status: 409,
    body: { error: 'a build of the layer parcels is already requested or running: wait until it ends' },
  })
})

test('the tiles role starts the requested build in any process; with no parcels it fails and says so', async () => {
  const events = await openEvents()
  const role = startTilesRole()
  await waitFor(() => events.events.at(-1)?.data.state === 'failed')
  await role.stop()
  await events.cancel()
  const { requested, builds } = await state()
  expect(requested).toBeNull()
  expect(builds).toMatchObject([{ state: 'failed', error: expect.stringContaining('nothing to draw'), url: null }])
})

test('events report a build from start to end; the history lists it with its archive', async () => {
  await seedSampleCounty(sql, { parcels: 500, entities: 0 })
  const events = await openEvents()
  const role = startTilesRole()
  await waitFor(() => events.events.at(-1)?.data.state === 'published')
  expect(events.events[0]).toMatchObject({ event: 'tile_build', data: { layer: 'parcels', state: 'building' } })
  const shares = events.events.map(({ data }) => data.share ?? 0)
  expect(shares).toEqual([...shares].sort((a, b) => a - b))
  expect(shares.at(-1)).toBe(1)
  const { manifest, building, builds } = await state()
  expect(building).toBeNull()
  expect(builds[0]).toEqual({
    id: events.events[0]?.data.id,
    layer: 'parcels',
    state: 'published',
    started_at: MOMENT,
    finished_at: MOMENT,
    requested_by: null,
    filter: {},
    share: 1,
    parcels: 500,
    tiles: expect.any(Number),
    bytes: manifest.size_bytes,
    error: null,
    url: manifest.url,
  })
  expect((await call('/tiles/manifest.json', { key: null })).body.parcels).toEqual(manifest)

  // A build can be requested as soon as the event of the last one has arrived. It starts immediately, even though nothing has changed.
  expect((await build()).status).toBe(202)
  await waitFor(() => events.events.at(-1)?.data.state === 'unchanged')
  expect((await state()).builds[0]).toMatchObject({
    state: 'unchanged',
    requested_by: ADMIN_KEY.slice(0, 8),
    url: manifest.url,
  })
  await role.stop()
  await events.cancel()
})

test('a build that nobody requested and that finds no changes ends with an event, and is not listed', async () => {
  const events = await openEvents()
  const before = await state()
  const begun = await sql.begin((tx) => beginTileBuild(tx, 'parcels'))
  const read = { drawnChanges: await findDrawnChanges(sql), datasetVersion: await readWatermark(sql) }
  await sql.begin((tx) => endUnchangedTileBuild(tx, begun, { ...read, hash: 'the same', sizeBytes: 1 }))
  const ofBuild = () => events.events.filter(({ data }) => data.id === begun.id).map(({ data }) => data.state)
  await waitFor(() => ofBuild().length === 2)
  await events.cancel()
  expect(ofBuild()).toEqual(['building', 'unchanged'])
  expect((await state()).builds).toEqual(before.builds)
})

test('a filter has a layer of its own, whose tiles show the parcels that match it; the manifest stays as it is', async () => {
  const { manifest } = await state()
  const [{ n } = { n: 0 }] = await sql<{ n: number }[]>`
    select count(*)::int as n from parcels where assessed_value >= 300000 and bbox is not null`
  expect(n).toBeGreaterThan(0)
  expect(n).toBeLessThan(3_000)
  const filter = { source: 'sample-county', min_value: 300_000, agricultural: false }
  expect(await build(ADMIN_KEY, { layer: 'valued', filter: { min_value: 300_000 } })).toMatchObject({
    status: 202,
    body: { layer: 'valued', state: 'requested' },
  })
  expect(await build(ADMIN_KEY, { layer: 'valued', filter })).toMatchObject({ status: 409 })
  expect((await state('valued')).requested).toMatchObject({ filter: { min_value: 300_000 } })

  // A builder with another filter does not take the request.
  const other = createLeader(url, tileDuty('valued'))
  const lead = await other.lead()
  const begun = lead?.begin(sql, (tx) => beginTileBuild(tx, 'valued'))
  await expect(begun).rejects.toMatchObject({ code: 'conflict' })
  await other.stop()

  const role = startTilesRole()
  await waitFor(async () => (await state('valued')).manifest !== null)
  await role.stop()
  const { manifest: valued, builds, layers } = await state('valued')
  expect(layers).toEqual(['parcels', 'valued'])
  expect(builds).toMatchObject([
    { layer: 'valued', state: 'published', parcels: n, filter: { min_value: 300_000 }, url: valued.url },
  ])
  expect((await call('/tiles/valued.json', { key: null })).body).toMatchObject({ name: 'valued' })
  expect((await call('/tiles/manifest.json', { key: null })).body).toEqual({ parcels: manifest })

  // The filter is in the work, as it was requested.
  const [work] = await sql`select payload from work where kind = 'tile_build' and subject = 'valued'`
  expect(work?.payload).toMatchObject({ filter: { min_value: 300_000 } })
})

test.each([
  ['the layer parcels, which has all parcels', { filter: { min_value: 1 } }, 400, 'Name another layer'],
  [
    'parcels without a boundary',
    { layer: 'bare', filter: { has_geometry: false } },
    400,
    'tiles are made of boundaries',
  ],
  ['the name of the manifest', { layer: 'manifest' }, 400, 'layer must not be manifest: choose another name'],
  [
    'a range upside down',
    { layer: 'some', filter: { min_acres: 2, max_acres: 1 } },
    400,
    'min_acres must not be greater',
  ],
  ['an unknown source', { layer: 'some', filter: { source: 'nobody' } }, 404, 'there is no source nobody'],
  ['a name that is a path', { layer: '../some' }, 400, 'layer'],
  ['a box', { layer: 'some', filter: { bbox: '-121,43,-120,44' } }, 400, 'bbox'],
])('%s: refused', async (_, body, status, said) => {
  const refused = await build(ADMIN_KEY, body)
  expect(refused.status).toBe(status)
  expect(JSON.stringify(refused.body)).toContain(said)
  expect((await state('some')).layers).not.toContain('some')
})

test('409 while any process runs a build; 202 after that process was killed, even if the row still says that it runs', async () => {
  const other = createLeader(url, tileDuty('parcels'))
  const lead = await other.lead()
  if (lead === null) throw new Error('another process leads')
  const building = await lead.begin(sql, (tx) => beginTileBuild(tx, 'parcels'))
  await setTileBuildProgress(sql, building, { share: 0.25, parcels: 750, totalParcels: 3_000, tiles: 40 })
  expect((await state()).building).toMatchObject({ share: 0.25, parcels: 750, tiles: 40 })
  expect((await build()).status).toBe(409)
  await other.stop()
  await waitFor(async () => (await state()).building === null)
  expect((await build()).status).toBe(202)
})

test('403: a key without admin', async () => {
  const key = await readKey()
  expect((await build(key)).status).toBe(403)
  expect((await call('/v1/admin/tiles', { key })).status).toBe(403)
})
