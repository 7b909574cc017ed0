import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { findPublishedTiles } from '../../drizzle/queries/tiles/published-tiles'
import { listRequestedTiles, requestTileBuild } from '../../drizzle/queries/tiles/requested-tiles'
import { tileDuty } from '../../drizzle/queries/tiles/tile-builds'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import { commandOf } from '../runner/programs'
import { createTestDatabase, waitFor } from '../support/servers'

/** Real builder processes whose sessions are ended, or that are frozen during a build. */

const { url, sql } = await createTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'build-stalled-'))
await seedSampleCounty(sql, { parcels: 20_000, entities: 0 })

/** How long a busy machine may take to start the role and build the archive. */
const BUILD_TIMEOUT_MS = 60_000

const children: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL')
    await child.exited
  }
  rmSync(dir, { recursive: true, force: true })
})

const start = (name: string, program: string, ...args: string[]) => {
  const child = Bun.spawn(commandOf(program, ...args), {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      ...(process.env as Record<string, string>),
      DATABASE_URL: url,
      MEILI_URL: 'http://127.0.0.1:1',
      DATA_DIR: join(dir, name),
      TILES_URL: join(dir, 'store'),
      LOG_LEVEL: 'error',
    },
  })
  children.push(child)
  return child
}

/** Runs while no build makes progress: it waits to read. */
const whileWaiting = async (begin: () => Promise<void>): Promise<void> => {
  const holder = connectDatabase(url, { max: 1 })
  await holder.begin(async (tx) => {
    await tx`lock table parcels in access exclusive mode`
    await begin()
  })
  await holder.end()
}
const isWaiting = async () =>
  (
    await sql`
      select from pg_stat_activity
      where application_name = 'tiles-build' and wait_event_type = 'Lock' and datname = current_database()`
  ).length > 0
const listBuilds = () => sql<{ status: string }[]>`select status from tile_builds order by id`
/** The share of a second that the process works. */
const findLoad = async (pid: number): Promise<number> => {
  const readTicks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  }
  const before = readTicks()
  await Bun.sleep(2_000)
  return (readTicks() - before) / 100 / 2
}

test('a build whose sessions are ended fails with an error, and the next one succeeds', async () => {
  for (const isFrozen of [false, true]) {
    const build = start('command', 'src/cli/tiles-build.ts', '--threads', '1')
    await whileWaiting(async () => {
      await waitFor(isWaiting)
      if (isFrozen) build.kill('SIGSTOP')
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'tiles-build%' and datname = current_database()`
      build.kill('SIGCONT')
    })
    await waitFor(() => build.exitCode !== null)
    expect(build.exitCode).toBe(1)
    expect(await findPublishedTiles(sql, 'parcels')).toBeNull()
  }
  expect(await start('command', 'src/cli/tiles-build.ts').exited).toBe(0)
  expect((await listBuilds()).map(({ status }) => status)).toEqual(['failed', 'failed', 'published'])
})

test('a build makes way for a session that wants the table alone: they do not wait for each other, and a request for it waits for its next turn', async () => {
  const layer = 'made-way'
  await requestTileBuild(sql, layer, 'somebody')
  const [holder, next] = [1, 2].map(() => connectDatabase(url, { max: 1 })) as [Sql, Sql]
  let build: Promise<unknown> = Promise.resolve()
  let locked: Promise<unknown> = Promise.resolve()
  await holder.begin(async (tx) => {
    await tx`lock table parcels in access exclusive mode`
    build = buildTiles(
      { ...DEFAULT_TILE_OPTIONS, layer },
      { databaseUrl: url, to: createTileStore(join(dir, 'store')), workDir: join(dir, 'work'), threads: 1 },
    ).catch((error) => error)
    await waitFor(isWaiting)
    // It gets its lock after the first session of the build, and before its thread.
    locked = next.begin((tx) => tx`lock table parcels in access exclusive mode`)
    await waitFor(
      async () =>
        (
          await sql`select from pg_locks where relation = 'parcels'::regclass and mode = 'AccessExclusiveLock' and not granted`
        ).length > 0,
    )
  })
  await locked
  expect(await build).toMatchObject({ code: 'busy', message: expect.stringContaining('made way') })
  const [request] = await sql`
    select status, error_code, not_before > now() as waits from work where subject = ${layer}`
  expect(request).toEqual({ status: 'queued', error_code: null, waits: true })
  expect(await listRequestedTiles(sql)).toEqual([])
  await sql`update work set not_before = now() where subject = ${layer}`
  expect(await listRequestedTiles(sql)).toMatchObject([{ layer }])
  await sql`delete from tile_builds where layer = ${layer}`
  await sql`delete from work where subject = ${layer}`
  await Promise.all([holder.end(), next.end()])
})

test('a command that was frozen until its lease expired says that nothing was published', async () => {
  const build = Bun.spawn(commandOf('src/cli/tiles-build.ts'), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: 'http://127.0.0.1:1', DATA_DIR: join(dir, 'command') },
  })
  children.push(build)
  await whileWaiting(async () => {
    await waitFor(isWaiting)
    build.kill('SIGSTOP')
    await waitFor(async () => {
      const [lead] =
        await sql`select from leaders where duty = ${tileDuty('parcels')} and expires_at < clock_timestamp()`
      return lead !== undefined
    })
    build.kill('SIGCONT')
    await waitFor(() => build.exitCode !== null)
  })
  expect(build.exitCode).toBe(1)
  expect((await new Response(build.stderr).text()).trimEnd().split('\n').at(-1)).toBe(
    'the build was given up, because this process or the database did not respond for several seconds. Nothing was published: run the command again',
  )
  await sql`delete from tile_builds`
  await sql`delete from work`
})

test('a frozen builder is replaced when its lease of 6 s has expired; when it continues, it publishes nothing and becomes idle', async () => {
  let first: Bun.Subprocess | null = null
  await sql`delete from tile_builds`
  await whileWaiting(async () => {
    // The role checks whether there is anything to draw by reading; a requested build does not check.
    await sql`insert into work (kind, subject, requested_by) values ('tile_build', 'parcels', 'somebody')`
    first = start('first', 'src/main.ts', 'tiles')
    await waitFor(isWaiting)
    start('second', 'src/main.ts', 'tiles')
    await waitFor(
      async () =>
        (await sql`select from pg_stat_activity where application_name = 'tiles' and datname = current_database()`)
          .length > 1,
      30_000,
    )
    first.kill('SIGSTOP')
    const [lead] = await sql<{ expires_in_s: number }[]>`
      select extract(epoch from expires_at - clock_timestamp())::float as expires_in_s
      from leaders where duty = ${tileDuty('parcels')}`
    expect(lead?.expires_in_s).toBeWithin(0, 6)
  })
  await waitFor(async () => (await listBuilds()).length === 2)
  await waitFor(async () => (await findPublishedTiles(sql, 'parcels')) !== null)
  const [published] = await sql<{ id: string; requested_by: string }[]>`
    select id, requested_by from tile_builds where status = 'published'`
  expect(published?.requested_by).toBe('somebody')
  const frozen = first as unknown as Bun.Subprocess
  frozen.kill('SIGCONT')
  await waitFor(async () => (await findLoad(frozen.pid)) < 0.5)
  expect((await listBuilds()).map(({ status }) => status)).toEqual(['failed', 'published'])
  expect(await sql`select id from tile_builds where status = 'published'`).toEqual([{ id: published?.id }] as never)
  // It builds again when requested.
  children.at(-1)?.kill('SIGTERM')
  await children.at(-1)?.exited
  await sql`update parcels set owner_name = 'ANOTHER'`
  await sql`insert into work (kind, subject, requested_by) values ('tile_build', 'parcels', 'somebody else')`
  await waitFor(
    async () => (await listBuilds()).at(-1)?.status === 'published' && (await listBuilds()).length === 3,
    BUILD_TIMEOUT_MS,
  )
  frozen.kill('SIGTERM')
  expect(await frozen.exited).toBe(0)
})
