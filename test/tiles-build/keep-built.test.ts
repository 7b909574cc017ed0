import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { connectDatabase } from '../../core/postgres/database'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { forgetTileBuilds } from '../../drizzle/queries/tiles/kept-tiles'
import { findPublishedTiles } from '../../drizzle/queries/tiles/published-tiles'
import { requestTileBuild } from '../../drizzle/queries/tiles/requested-tiles'
import { beginTileBuild } from '../../drizzle/queries/tiles/tile-builds'
import { cancelWork } from '../../drizzle/queries/work/cancel-work'
import type { BuildResult } from '../../tiles-build/build'
import { isBuildDue, type KeepBuiltOptions, keepTilesBuilt, pauseAfter } from '../../tiles-build/keep-built'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import type { TileStore } from '../../tiles-build/store/tile-store'
import { WAIT_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase, waitFor } from '../support/servers'

const dir = mkdtempSync(join(tmpdir(), 'tiles-kept-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const { sql, url } = await createTestDatabase()

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
test.each([
  ['immediately if there is no archive', { changes: 0, ageMs: Number.POSITIVE_INFINITY, tookMs: 0 }, true],
  ['for a few changes after an hour', { changes: 1, ageMs: HOUR_MS, tookMs: 1_000 }, true],
  ['not for a few changes before that', { changes: 999, ageMs: HOUR_MS - 1, tookMs: 1_000 }, false],
  ['for many changes after a hundred times the last build', { changes: 1_000, ageMs: MINUTE_MS, tookMs: 600 }, true],
  ['not before that', { changes: 1_000_000, ageMs: MINUTE_MS, tookMs: 601 }, false],
  ['not within half a minute of a quick one', { changes: 1_000_000, ageMs: MINUTE_MS / 2 - 1, tookMs: 10 }, false],
  ['ten minutes after a slow one', { changes: 1_000, ageMs: 10 * MINUTE_MS, tookMs: HOUR_MS }, true],
  ['a day after the last build', { changes: 0, ageMs: 24 * HOUR_MS, tookMs: 0 }, true],
  ['not without changes before that', { changes: 0, ageMs: 24 * HOUR_MS - 1, tookMs: 0 }, false],
  [
    'for a small load after five times the last build',
    { changes: 1, hasLoad: true, ageMs: MINUTE_MS, tookMs: 12_000 },
    true,
  ],
  [
    'not before that, even for a large load',
    { changes: 5_000, hasLoad: true, ageMs: MINUTE_MS, tookMs: 12_001 },
    false,
  ],
  ['for a load five seconds after a quick build', { changes: 1, hasLoad: true, ageMs: 5_000, tookMs: 900 }, true],
  ['not before that', { changes: 1, hasLoad: true, ageMs: 4_999, tookMs: 900 }, false],
  [
    'not for a load that changed nothing on the map',
    { changes: 0, hasLoad: true, ageMs: HOUR_MS, tookMs: 1_000 },
    false,
  ],
])('a build is due %s', (_, age, due) => expect(isBuildDue({ hasLoad: false, ...age })).toBe(due))

test('an empty table is not a failure; a build starts when there are parcels, and the archive stays when the role stops', async () => {
  const built: BuildResult[] = []
  const failed: Error[] = []
  const kept = keepTilesBuilt({
    ...{ databaseUrl: url, workDir: join(dir, 'work'), store: createTileStore(join(dir, 'store')) },
    onBuilt: (result) => built.push(result),
    onFailed: (error) => failed.push(error),
    checkEveryMs: 20,
  })
  // It has checked and found nothing to do.
  await waitFor(
    async () =>
      (
        await sql`select from pg_stat_activity where application_name = 'tiles' and query like '%exists (select from live_parcels%' and datname = current_database()`
      ).length > 0,
  )
  await seedSampleCounty(sql, { parcels: 200, entities: 0 })
  await waitFor(() => built.length > 0)
  await kept.stop()
  expect(failed).toEqual([])
  expect(await sql`select from tile_builds where status <> 'published'`).toHaveLength(0)
  expect(built).toHaveLength(1)
  expect((await findPublishedTiles(sql, 'parcels'))?.hash).toBe(built[0]?.hash as string)
  expect(readdirSync(join(dir, 'work'))).toEqual([])
})

const makeOld = () => sql`update tile_builds set current_at = current_at - interval '25 hours'`
/** Runs the role on the one store until `stop`; it checks every 20 ms by default. */
const keep = (
  store: TileStore = createTileStore(join(dir, 'store')),
  checkEveryMs = 20,
  more: Partial<KeepBuiltOptions> = {},
) => {
  const built: BuildResult[] = []
  const failedAt: number[] = []
  const failed: ('check' | 'build')[] = []
  const { stop } = keepTilesBuilt({
    ...{ databaseUrl: url, workDir: join(dir, 'work'), store, checkEveryMs, ...more },
    onBuilt: (result) => built.push(result),
    onFailed: (_error, what) => {
      failedAt.push(performance.now())
      failed.push(what)
    },
  })
  return { built, failedAt, failed, stop }
}
/** Waits until the role has looked for changes twice from now on: so one look has had its effect. */
const hasLooked = async () => {
  const [since] = await sql<{ at: string }[]>`select clock_timestamp()::text as at`
  const looks = new Set<string>()
  await waitFor(async () => {
    const found = await sql<{ at: string }[]>`
      select query_start::text as at from pg_stat_activity
      where application_name = 'tiles' and query like '%drawn_changes_seq%' and datname = current_database()
        and query_start > ${since?.at as string}::timestamptz`
    for (const { at } of found) looks.add(at)
    return looks.size > 1
  })
}

test('a build that nobody requested is ended when its process is lost, also of a layer that is not built again', async () => {
  const { id, work } = await sql.begin((tx) => beginTileBuild(tx, 'wards'))
  const stateOf = async () =>
    (
      await sql`
    select w.status as work, w.error_code, b.status as build from work w join tile_builds b on b.work_id = w.id where b.id = ${id}`
    )[0]
  const kept = keep()
  await hasLooked()
  expect(await stateOf()).toMatchObject({ work: 'running', build: 'building' })
  await sql`update work set lease_expires_at = now() - interval '1 s' where id = ${work.id}`
  await waitFor(async () => (await stateOf())?.build !== 'building')
  await kept.stop()
  expect(await stateOf()).toEqual({ work: 'error', error_code: 'worker_lost', build: 'failed' })
  await sql`delete from tile_builds where id = ${id}`
})

test('a build that is cancelled is left to its process, which says why it ends', async () => {
  const cancelled = await sql.begin((tx) => beginTileBuild(tx, 'cancelled'))
  const lost = await sql.begin((tx) => beginTileBuild(tx, 'lost'))
  await cancelWork(sql, cancelled.work.id, 'cancelled by an operator')
  await sql`update work set lease_expires_at = now() - interval '1 s' where id = ${lost.work.id}`
  const statusOf = async (id: string) => (await sql`select status from tile_builds where id = ${id}`)[0]?.status
  const kept = keep()
  await waitFor(async () => (await statusOf(lost.id)) === 'failed')
  await kept.stop()
  expect(await statusOf(cancelled.id)).toBe('building')
  await sql`delete from tile_builds where id in ${sql([cancelled.id, lost.id])}`
})

test('a role that starts again keeps a fresh archive, and builds again if it is a day old or gone from the store', async () => {
  const published = await findPublishedTiles(sql, 'parcels')
  const fresh = keep()
  await hasLooked()
  await fresh.stop()
  expect(fresh.built).toEqual([])

  await makeOld()
  const old = keep()
  await waitFor(() => old.built.length > 0)
  await hasLooked()
  await old.stop()
  // The result was unchanged, which counts as fresh for another day.
  expect(old.built.map(({ isNew }) => isNew)).toEqual([false])

  rmSync(join(dir, 'store'), { recursive: true })
  const lost = keep()
  await waitFor(() => lost.built.length > 0)
  await lost.stop()
  expect(lost.built[0]).toMatchObject({ isNew: true, hash: published?.hash })
})

test('an archive that was damaged where it is stored is built again', async () => {
  const hash = (await findPublishedTiles(sql, 'parcels'))?.hash as string
  const file = join(dir, 'store', 'parcels', `${hash}.pmtiles`)
  const whole = readFileSync(file)
  const { built, stop } = keep()
  await hasLooked()
  truncateSync(file, 1_000)
  await waitFor(() => built.length > 0)
  await stop()
  expect(built).toMatchObject([{ isNew: true, hash }])
  expect(readFileSync(file).equals(whole)).toBe(true)
})

test('a load of one parcel is drawn soon; a scrape of one parcel waits', async () => {
  await sql`update tile_builds set current_at = current_at - interval '50 minutes' where status = 'published'`
  await sql`
    update parcels set owner_name = 'TESTERMANN ONE'
    where id = (select id from parcels where bbox is not null order by id limit 1)`
  const { built, stop } = keep()
  await hasLooked()
  expect(built).toEqual([])
  await sql`
    insert into loads (id, source, kind, status, applied_at) select uuidv7(), source, 'ingest', 'applied', now() from sources limit 1`
  await waitFor(() => built.length > 0)
  await hasLooked()
  await stop()
  expect(built.map(({ isNew }) => isNew)).toEqual([true])
})

test('the undo of an older load is drawn soon, too', async () => {
  await sql`update loads set applied_at = applied_at - interval '2 hours'`
  await sql`update tile_builds set current_at = current_at - interval '50 minutes' where status = 'published'`
  await sql`
    update parcels set owner_name = 'TESTERMANN TWO'
    where id = (select id from parcels where bbox is not null order by id limit 1)`
  const { built, stop } = keep()
  await hasLooked()
  expect(built).toEqual([])
  await sql`update loads set status = 'undone', ended_at = now()`
  await waitFor(() => built.length > 0)
  await stop()
  expect(built.map(({ isNew }) => isNew)).toEqual([true])
})

test.each([
  ['only what has changed is drawn', {}, false],
  ['everything is drawn again when it is time', { fullEveryMs: 1 }, true],
])('the first build of a role draws everything; after that, %s', async (_, options, isAll) => {
  const { built, stop } = keep(undefined, 20, options)
  for (const count of [1, 2]) {
    await sql`
      update parcels set owner_name = ${`TESTERMANN ${isAll} ${count}`}
      where id = (select id from parcels where bbox is not null order by id limit 1)`
    await requestTileBuild(sql, 'parcels', 'somebody')
    await waitFor(() => built.length === count)
  }
  await stop()
  expect(built.map(({ drawnTiles, addressedTiles }) => drawnTiles === addressedTiles)).toEqual([true, isAll])
})

/** Runs `begin`, which starts a build; then `during` while that build waits to read parcels. */
const whileBuilding = async (begin: () => Promise<unknown>, during: () => Promise<unknown>) => {
  const reader = connectDatabase(url, { max: 1 })
  await reader.begin(async (tx) => {
    await tx`lock table parcels in access exclusive mode`
    await begin()
    const findWaiting = () =>
      sql`select pid from pg_stat_activity where application_name = 'tiles-build' and wait_event_type = 'Lock' and datname = current_database()`
    await waitFor(async () => (await findWaiting()).length > 0)
    await during()
  })
  await reader.end()
}

test('a role whose sessions are ended during a build reports it, and builds when requested again', async () => {
  const { built, failedAt, stop } = keep()
  await hasLooked()
  await whileBuilding(
    () => requestTileBuild(sql, 'parcels', 'somebody'),
    () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tiles%' and datname = current_database()`,
  )
  await waitFor(() => failedAt.length > 0)
  await requestTileBuild(sql, 'parcels', 'somebody')
  await waitFor(() => built.length > 0)
  await stop()
})

test('a thousand visible changes are built some time after the last build', async () => {
  await seedSampleCounty(sql, { parcels: 1_400, entities: 0 })
  await sql`update tile_builds set current_at = clock_timestamp() where status = 'published'`
  const soon = keep()
  await hasLooked()
  await soon.stop()
  expect(soon.built).toEqual([])
  await sql`update tile_builds set current_at = current_at - interval '10 minutes' where status = 'published'`
  const later = keep()
  await waitFor(() => later.built.length > 0)
  await later.stop()
  expect(later.built).toMatchObject([{ isNew: true, parcels: 1_400 }])
})

test('a check that fails is not reported as a failed build', async () => {
  const away: TileStore = { ...createTileStore(join(dir, 'store')), isWhole: () => Promise.reject(new Error('away')) }
  const { failed, stop } = keep(away)
  await waitFor(() => failed.length > 0)
  await stop()
  expect(new Set(failed)).toEqual(new Set(['check']))
})

test('a failed build is retried after growing pauses; a requested one is built immediately', async () => {
  const full: TileStore = {
    ...createTileStore(join(dir, 'store')),
    put: () => Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })),
  }
  await sql`update parcels set owner_name = 'ANOTHER'`
  await makeOld()
  const failing = keep(full)
  await waitFor(() => failing.failedAt.length >= 4)
  await failing.stop()
  expect(new Set(failing.failed)).toEqual(new Set(['build']))
  const pauses = failing.failedAt.slice(1).map((at, index) => at - (failing.failedAt[index] as number))
  for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(20 * 2 ** index)

  const waiting = keep(full, 60_000)
  await waitFor(() => waiting.failedAt.length === 1)
  await requestTileBuild(sql, 'parcels', 'somebody')
  await waitFor(() => waiting.failedAt.length === 2)
  await waiting.stop()
  const [last] = await sql`
    select b.status, b.requested_by, w.error_code, b.error_message from tile_builds b join work w on w.id = b.work_id
    order by b.id desc limit 1`
  expect(last).toEqual({
    ...{ status: 'failed', requested_by: 'somebody' },
    ...{ error_code: 'disk_full', error_message: 'the disk is full' },
  })
})

test('failures of other layers, and those before a success, do not delay a build that is due', async () => {
  const PAUSE_MS = 4_000
  const MANY = 6
  // The build must not be due again merely because the pause of these failures is over.
  expect(pauseAfter(MANY, PAUSE_MS)).toBeGreaterThan(2 * WAIT_TIMEOUT_MS)
  const { built, failed, stop } = keep(undefined, PAUSE_MS)
  const build = async () => {
    const before = built.length
    await requestTileBuild(sql, 'parcels', 'somebody')
    await waitFor(() => built.length > before)
  }
  const fail = async (layer: string) => {
    const before = failed.length
    await requestTileBuild(sql, layer, 'somebody', { ...LISTED_PARCELS, county: 'Nowhere' })
    await waitFor(() => failed.length > before)
  }
  await build()
  for (let failure = 0; failure < MANY; failure++) await fail('parcels')
  await build()
  for (let failure = 0; failure < MANY; failure++) await fail('wards')
  const before = built.length
  await makeOld()
  await waitFor(() => built.length > before)
  await stop()
})

test.each([
  [1, 1],
  [2, 2],
  [6, 32],
  [7, 60],
  [1_000, 60],
])('after %d failures in a row the next try comes %d minutes later', (failures, minutes) =>
  expect(pauseAfter(failures)).toBe(minutes * 60_000),
)

test('old builds are deleted, but not those whose archive may still be stored', async () => {
  const insert = (status: string, hash: string | null) =>
    sql`insert into tile_builds (layer, status, hash) values ('history', ${status}, ${hash})`
  const list = async () =>
    (await sql`select status, hash from tile_builds where layer = 'history' order by id`).map(
      ({ status, hash }) => `${status} ${hash}`,
    )
  await insert('failed', null)
  await insert('failed', 'alone')
  await insert('failed', 'twice')
  await insert('failed', 'twice')
  await insert('retired', 'kept')
  await insert('published', 'current')
  for (let failure = 0; failure < 3; failure++) await insert('failed', null)
  const newest = ['failed null', 'failed null', 'failed null']
  await forgetTileBuilds(sql, 'history', null, 3)
  expect(await list()).toEqual(['failed alone', 'failed twice', 'retired kept', 'published current', ...newest])
  await forgetTileBuilds(sql, 'history', ['current', 'kept'], 3)
  expect(await list()).toEqual(['retired kept', 'published current', ...newest])
})

test('a stopped build publishes nothing and leaves no files; a request for it returns to the queue', async () => {
  await makeOld()
  const { built, stop } = keep()
  await waitFor(() => built.length === 1)
  const before = await findPublishedTiles(sql, 'parcels')
  await sql`update parcels set owner_name = 'SOMEONE ELSE'`
  let stopped = Promise.resolve()
  await whileBuilding(
    () => requestTileBuild(sql, 'parcels', 'somebody'),
    async () => {
      stopped = stop()
    },
  )
  await stopped
  expect(built).toHaveLength(1)
  expect(await findPublishedTiles(sql, 'parcels')).toEqual(before)
  expect(readdirSync(join(dir, 'work'))).toEqual([])
  const findRequested = async () =>
    (await sql`select status, requested_by, error_code from work where kind = 'tile_build' order by id desc limit 1`)[0]
  expect(await findRequested()).toEqual({ status: 'queued', requested_by: 'somebody', error_code: null })
  const next = keep()
  await waitFor(() => next.built.length === 1)
  await next.stop()
  expect(next.built).toMatchObject([{ isNew: true }])
  expect(await findRequested()).toEqual({ status: 'done', requested_by: 'somebody', error_code: null })
})
