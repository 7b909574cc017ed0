import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { LISTED_PARCELS } from '../../../core/parcels/filter'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { readPrimaryPosition, readReplayPosition } from '../../../core/postgres/replicas/positions'
import { ANYBODY } from '../../../core/postgres/replicas/reads'
import { forgetWriters, listRecentWriters, noteWriter } from '../../../core/postgres/replicas/recent-writers'
import { followReplicas, MAX_LAG_MS } from '../../../core/postgres/replicas/replicas'
import { migrate } from '../../../drizzle/migrate'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../../search/search'
import { runExport } from '../../../src/exports/run-export'
import { writeExport } from '../../../src/exports/write-export'
import { examineReplica } from '../../../src/operations/doctor/replicas'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { registerReplicaMetrics } from '../../../src/operations/observe/replica-metrics'
import { createTestApp, insertCounty } from '../../http/test-app'
import { listProcesses } from '../../runner/descendants'
import { PATIENT } from '../../search/patient'
import { waitFor } from '../../support/servers'
import { startReplica } from './start-replica'

/* A real streaming replica, and two API processes on it. */

const SETTINGS = { shared_buffers: '32MB', max_connections: '40', fsync: 'off', max_standby_streaming_delay: '0' }
/** The default of the server. */
const SEGMENT_BYTES = 16 * 1024 ** 2
const dir = mkdtempSync(join(tmpdir(), 'parcel-data-service-replicas-'))
const [primaryDir, replicaDir] = [join(dir, 'primary'), join(dir, 'replica')]
const primary = await startPostgres(primaryDir, SETTINGS)
await migrate(primary.url)
const sql = connectDatabase(primary.url, { max: 5 })
await insertCounty(sql)
await upsertParcels(sql, 'elm', [{ sourceParcelId: '1', ownerName: 'MARLOWE ROSE' }])
await sql`create table rows as select n from generate_series(1, 1000) n`
const replica = await startReplica(primary, primaryDir, replicaDir, SETTINGS)
const replicaSql = connectDatabase(replica.url, { max: 1 })
const stops: (() => Promise<unknown>)[] = [() => replicaSql.end({ timeout: 1 }), () => sql.end({ timeout: 1 })]

/** The tests stop replay for long, so by default no lag is too long. */
const LONGEST_MS = 3_600_000
/** The replicas as one API process follows them. */
const follow = (maxLagMs = LONGEST_MS, ...urls: string[]) => {
  const replicas = followReplicas(urls.length === 0 ? [replica.url] : urls, sql, { maxLagMs })
  stops.push(replicas.stop)
  const state = () => {
    const [only] = replicas.states()
    if (only === undefined) throw new Error('there is no replica')
    return only
  }
  return { ...replicas, state, reads: replicas.openReads(sql, { max: 5, patience: 'interactive' }) }
}
const replicas = follow()
const here = await createTestApp({ database: { url: primary.url, sql }, replicas })
const elsewhere = await createTestApp({ database: { url: primary.url, sql }, replicas: follow() })
const reader = await here.readKey()

afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()))
  await Promise.all([replica.stop(), primary.stop()])
  rmSync(dir, { recursive: true, force: true })
})

const waitForRotation = (inRotation = true) => waitFor(() => replicas.state().inRotation === inRotation)
await waitForRotation()

const pauseReplay = () => replicaSql`select pg_wal_replay_pause()`
const resumeReplay = () => replicaSql`select pg_wal_replay_resume()`
afterEach(async () => {
  await resumeReplay().catch(() => {})
})

const isReplica = async (db: Sql): Promise<boolean> => {
  const [row] = await db<{ inRecovery: boolean }[]>`select pg_is_in_recovery() as "inRecovery"`
  return row?.inRecovery === true
}
const readsFromReplica = (of = replicas, from = ANYBODY) => of.reads.run(from, isReplica)
/** A read that the replica never finishes. The primary answers it immediately. */
const startLongRead = async (): Promise<{ answer: Promise<boolean> }> => {
  for (;;) {
    const started = Promise.withResolvers<boolean>()
    const answer = replicas.reads.run(ANYBODY, async (db) => {
      const inRecovery = await isReplica(db)
      started.resolve(inRecovery)
      await db`select count(*), case when pg_is_in_recovery() then pg_sleep(600) end from rows`
      return inRecovery
    })
    if (await started.promise) return { answer }
    await answer
  }
}
const ownerFor = async (key: string, app = here, headers = {}): Promise<string> =>
  (await app.call('/v1/parcels/elm/1', { key, headers })).body.owner_name

test('a look-up is answered by the replica, and counted', async () => {
  const { reads } = replicas.state()
  const before = replicas.primaryReads()
  await waitFor(async () => (await ownerFor(reader)) === 'MARLOWE ROSE' && replicas.state().reads > reads)
  expect(replicas.primaryReads()).toBe(before)
  expect(replicas.state()).toMatchObject({ inRotation: true, problem: null, name: new URL(replica.url).host })
})

test('a replica of an idle primary does not lag, wherever in the log the primary stopped', async () => {
  // The next byte to write is then after the header of a page, which a replica does not count as replayed.
  await waitFor(async () => {
    await sql`select pg_switch_wal()`
    const { position } = await readPrimaryPosition(sql)
    return position % SEGMENT_BYTES === 0 && position === (await readReplayPosition(replicaSql))
  })
  const idle = follow(2_000)
  await waitFor(() => idle.state().lagS === 0)
  expect(await readsFromReplica(idle)).toBe(true)
})

test('a caller that wrote reads its write in every process, while other callers read from the replica', async () => {
  const [{ id } = { id: '' }] = await sql<{ id: string }[]>`
    insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
    select id, 'no-owner', 'low', 'ownership', '{}', 'Look.' from parcels returning id`
  const countFor = async (app: typeof here, key?: string): Promise<number> =>
    (await app.call('/v1/findings/elm/1', { ...(key === undefined ? {} : { key }) })).body.count
  await waitFor(async () => (await countFor(here, reader)) === 1 && (await countFor(elsewhere, reader)) === 1)
  await pauseReplay()
  const dismissed = await here.call(`/v1/findings/${id}/dismiss`, { method: 'POST', body: { reason: 'Known.' } })
  expect(dismissed.status).toBe(200)
  expect([await countFor(elsewhere), await countFor(here)]).toEqual([0, 0])
  await waitFor(async () => (await countFor(elsewhere, reader)) === 1)
  expect(await countFor(elsewhere)).toBe(0)
})

test('a caller that sends a dataset version never reads an older version', async () => {
  await waitFor(() => readsFromReplica())
  await pauseReplay()
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '1', ownerName: 'MARLOWE IRIS' }])
  const version = await elsewhere.datasetVersion.read()
  const headers = { 'x-dataset-version': String(version) }
  const answer = await elsewhere.call('/v1/parcels/elm/1', { key: reader, headers })
  expect(answer.body.owner_name).toBe('MARLOWE IRIS')
  expect(Number(answer.headers.get('x-dataset-version'))).toBe(version)
  await waitFor(async () => (await ownerFor(reader, elsewhere)) === 'MARLOWE ROSE')
  const old = await elsewhere.call('/v1/parcels/elm/1', { key: reader })
  expect(Number(old.headers.get('x-dataset-version'))).toBeLessThan(version)
})

test('the change feed returns each change once, whether the replica or the primary answers', async () => {
  await waitFor(async () => (await ownerFor(reader)) === 'MARLOWE IRIS')
  const changesAfter = async (after: number) =>
    (await here.call(`/v1/changes?after=${after}`, { key: reader })).body as {
      changes: { version: number }[]
      next: number
    }
  const versions: number[] = []
  let next = 0
  const readOn = async () => {
    const page = await changesAfter(next)
    versions.push(...page.changes.map(({ version }) => version))
    next = page.next
  }
  await pauseReplay()
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '2' }])
  const last = await here.datasetVersion.read()
  while (next < last) await readOn()
  await resumeReplay()
  await waitFor(() => (replicas.version() ?? 0) >= last)
  await readOn()
  expect(versions).toEqual(versions.toSorted((one, other) => one - other))
  expect(new Set(versions).size).toBe(versions.length)
  expect(versions.at(-1)).toBe(last)
})

test('a read goes to the replica with the fewest reads in progress', async () => {
  const both = follow(LONGEST_MS, replica.url, `${replica.url}?application_name=second`)
  const areBothThere = () => both.states().every(({ inRotation }) => inRotation)
  const readsOf = () => both.states().map(({ reads }) => reads)
  /** How many reads each replica gets while one of them holds a read. Null: one was out of rotation meanwhile. */
  const readBesideOne = async (): Promise<number[] | null> => {
    const [before, ofPrimary] = [readsOf(), both.primaryReads()]
    const held = Promise.withResolvers<void>()
    const holding = both.reads.run(ANYBODY, () => held.promise)
    for (let n = 0; n < 4; n++) await readsFromReplica(both)
    held.resolve()
    await holding
    if (!areBothThere() || both.primaryReads() > ofPrimary) return null
    return readsOf().map((reads, index) => reads - (before[index] ?? 0))
  }
  let reads: number[] | null = null
  await waitFor(async () => {
    reads = areBothThere() ? await readBesideOne() : null
    return reads !== null
  })
  expect((reads as number[] | null)?.toSorted()).toEqual([1, 4])
})

test('a caller that writes again counts as one that just wrote, and its write is remembered for longer than it matters', async () => {
  await sql`insert into recent_writers (caller, wrote_at) values ('again', now() - interval '1 hour 1 minute')`
  const listRecent = () => listRecentWriters(sql, ['again', 'never'], { withinMs: 60_000 })
  expect(await listRecent()).toEqual(new Map())
  await noteWriter(sql, 'again')
  expect(await listRecent()).toEqual(new Map([['again', true]]))
  await sql`update recent_writers set wrote_at = now() - interval '59 minutes' where caller = 'again'`
  expect(await forgetWriters(sql, 100)).toBe(0)
  await sql`update recent_writers set wrote_at = now() - interval '61 minutes' where caller = 'again'`
  expect(await forgetWriters(sql, 100)).toBe(1)
})

test('a caller reads from the primary for four times the longest lag after its write: by default for 20 s', async () => {
  await waitFor(() => readsFromReplica())
  expect(MAX_LAG_MS).toBe(5_000)
  await sql`
    insert into recent_writers (caller, wrote_at)
    select 'after ' || lags, now() - lags * ${LONGEST_MS} * interval '1 ms' from unnest('{3.9,4.1}'::float8[]) lags`
  expect(await readsFromReplica(replicas, { id: 'after 3.9' })).toBe(false)
  await waitFor(() => readsFromReplica(replicas, { id: 'after 4.1' }))
  await sql`delete from recent_writers`
})

test('the version that callers can rely on is that of the replica that is furthest behind', async () => {
  const second = await startReplica(primary, primaryDir, join(dir, 'second'), SETTINGS)
  try {
    const both = follow(LONGEST_MS, replica.url, second.url)
    await waitFor(() => both.states().every(({ inRotation }) => inRotation))
    await pauseReplay()
    const before = await elsewhere.datasetVersion.read()
    await upsertParcels(sql, 'elm', [{ sourceParcelId: '2', ownerName: 'SECOND' }])
    const after = await elsewhere.datasetVersion.read()
    const readVersion = (atLeast: number) =>
      both.reads.run({ id: null, atLeast: () => atLeast }, async (_, version) => version)
    // The second replica has the new version.
    await waitFor(async () => (await readVersion(after)) === after)
    expect(both.states().every(({ inRotation }) => inRotation)).toBe(true)
    expect(both.version()).toBe(before)
    await resumeReplay()
    await waitFor(() => both.version() === after)
    await both.stop()
  } finally {
    await second.stop()
  }
})

test('a search by area does not count as a write', async () => {
  const area = { type: 'Polygon', coordinates: [[[-120, 44], [-119, 44], [-119, 45], [-120, 44]]] } // biome-ignore format: one line
  const isNoted = async () => (await sql`select from recent_writers`).count
  const before = await isNoted()
  const found = await here.call('/v1/parcels/within', { method: 'POST', key: reader, body: area })
  expect([found.status, await isNoted()]).toEqual([200, before])
})

test('a search is answered by the replica if PostgreSQL answers it', async () => {
  const search = createSearch({ sql, reads: replicas.reads, meili: null, limits: PATIENT })
  await search.refreshVocabulary()
  await waitFor(async () => {
    const { reads } = replicas.state()
    const before = replicas.primaryReads()
    const { hits } = await search.search({
      ...{ q: 'marlowe', limit: 5, types: ['parcels'], filter: LISTED_PARCELS },
      ...{ lat: null, lon: null, proximityKm: 50, group: null },
    })
    expect(hits).toMatchObject([{ source_parcel_id: '1' }])
    return replicas.state().reads > reads && replicas.primaryReads() === before
  })
})

test('a caller that listed jobs or follows events reads from the primary', async () => {
  for (const path of ['/v1/scrape-jobs', '/v1/events']) {
    await sql`delete from recent_writers`
    const response = await here.app.handle(
      new Request(`http://localhost${path}`, { headers: { 'x-service-key': reader } }),
    )
    expect(response.status).toBe(200)
    expect((await sql`select from recent_writers`).count).toBe(1)
    await response.body?.cancel()
  }
  await sql`delete from recent_writers`
})

test('an export is read from the replica, and has everything that was committed when it began', async () => {
  await waitFor(() => readsFromReplica())
  await pauseReplay()
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '3' }])
  const request = {
    ...({ format: 'ndjson', gzip: false, fields: [], geometry: 'none', place: null } as const),
    filter: { ...LISTED_PARCELS, source: 'elm' },
  }
  const began = performance.now()
  const write = async () => {
    const { reads } = replicas.state()
    const options = { path: join(dir, 'export.ndjson'), workDir: dir, maxBytes: 1_000_000 }
    const { rows } = await writeExport(replicas.reads, { id: null, since: began }, request, options)
    return { rows, ofReplica: replicas.state().reads - reads }
  }
  expect(await write()).toEqual({ rows: 3, ofReplica: 0 })
  await resumeReplay()
  await waitFor(async () => {
    const { rows, ofReplica } = await write()
    expect(rows).toBe(3)
    return ofReplica > 0
  })
  const task = { databaseUrl: primary.url, databaseReadUrls: [replica.url], request }
  const where = { path: join(dir, 'thread.ndjson'), workDir: dir, maxBytes: 1_000_000 }
  const { signal } = new AbortController()
  expect(await runExport({ ...task, ...where }, { signal, onProgress: () => {} })).toMatchObject({ rows: 3 })
})

test('a replica that is too far behind gets no reads until it has caught up', async () => {
  const strict = follow(MAX_LAG_MS)
  await waitFor(() => strict.state().inRotation)
  await pauseReplay()
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '1', ownerName: 'MARLOWE FERN' }])
  await waitFor(() => strict.state().problem === 'more than 5 s behind')
  expect(await readsFromReplica(strict)).toBe(false)
  expect(strict.version()).toBe(null)
  await resumeReplay()
  await waitFor(() => readsFromReplica(strict))
})

test('a statement that the replica cancels because it blocks replay is repeated on the primary', async () => {
  const { repeated } = replicas.state()
  const { answer } = await startLongRead()
  let inRecovery: boolean | undefined
  answer.then((answered) => {
    inRecovery = answered
  })
  await waitFor(async () => {
    // It reads these rows, so the replica cannot remove them.
    await sql`delete from rows where n in (select n from rows limit 1)`
    await sql`vacuum rows`
    return inRecovery !== undefined
  })
  expect(inRecovery).toBe(false)
  expect(replicas.state().repeated).toBeGreaterThan(repeated)
})

test('the doctor and the metrics name the replica and say how far it is behind, without its password', async () => {
  const { host, password } = new URL(replica.url)
  const found = await examineReplica(sql, replica.url)
  expect(found).toMatchObject([{ about: 'replica', state: 'ok', what: expect.stringContaining(`${host}, 0.0 MB`) }])
  expect(await examineReplica(sql, primary.url)).toMatchObject([{ state: 'fault' }])
  await pauseReplay()
  await sql`update rows set n = n`
  const [paused] = await examineReplica(sql, replica.url, 1_000)
  expect(paused).toMatchObject({ state: 'warn', what: expect.stringContaining('gets no reads') })
  await resumeReplay()
  const registry = new Registry()
  registerReplicaMetrics(registry, replicas)
  await waitFor(async () => (await registry.metrics()).includes(`postgres_replica_in_rotation{replica="${host}"} 1`))
  const metrics = await registry.metrics()
  expect(metrics).toMatch(new RegExp(`^postgres_replica_lag_seconds{replica="${host}"} \\d`, 'm'))
  expect(metrics).toMatch(/^postgres_reads_total{server="primary"} \d/m)
  expect(metrics + JSON.stringify(found)).not.toContain(password)
})

test('a read that the replica refuses, because its user may no longer log in, is repeated on the primary', async () => {
  await sql.unsafe("create role reader login superuser password 'first'")
  await waitFor(async () => (await replicaSql`select from pg_roles where rolname = 'reader'`).count === 1)
  const url = new URL(replica.url)
  Object.assign(url, { username: 'reader', password: 'first' })
  const theirs = follow(LONGEST_MS, url.href)
  await waitFor(() => theirs.state().inRotation)
  await sql`alter role reader nologin`
  await waitFor(
    async () => (await replicaSql`select from pg_roles where rolname = 'reader' and rolcanlogin`).count === 0,
  )
  // The connection that checks the replica is still open.
  expect(theirs.state().inRotation).toBe(true)
  expect(await theirs.reads.run(ANYBODY, async (db) => (await db`select pg_is_in_recovery() as there`)[0]?.there)).toBe(
    false,
  )
})

test('a server that is not a replica gets no reads', async () => {
  const wrong = follow(LONGEST_MS, primary.url)
  await waitFor(() => wrong.state().problem === 'the server is not a replica')
  expect(await readsFromReplica(wrong)).toBe(false)
})

const signalReplica = (signal: NodeJS.Signals) => {
  const pids = [...listProcesses()].filter(([, { parent }]) => parent === replica.pid).map(([pid]) => pid)
  for (const pid of [replica.pid, ...pids]) process.kill(pid, signal)
}

test('a read that waits for a frozen replica is answered by the primary, and the replica comes back', async () => {
  const { answer } = await startLongRead()
  signalReplica('SIGSTOP')
  try {
    expect(await answer).toBe(false)
    await waitForRotation(false)
    expect(await ownerFor(reader)).toBe('MARLOWE FERN')
  } finally {
    signalReplica('SIGCONT')
  }
  await waitFor(() => readsFromReplica())
})

test('a read whose connection breaks is repeated on the primary, and a replica that is gone gets no reads', async () => {
  const { answer } = await startLongRead()
  signalReplica('SIGKILL')
  expect(await answer).toBe(false)
  await waitForRotation(false)
  expect(await ownerFor(reader)).toBe('MARLOWE FERN')
  expect(readFileSync(join(replicaDir, 'server.log'), 'utf8')).toContain('ready to accept read-only connections')
})
