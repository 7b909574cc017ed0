import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { connectDatabase } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { endRebuild, setRebuildProgress, startRebuild } from '../../../drizzle/queries/search/search-index-work'
import { listBlockers } from '../../../drizzle/queries/service/examine'
import { beginTileBuild } from '../../../drizzle/queries/tiles/tile-builds'
import { finishWork } from '../../../drizzle/queries/work/end-work-attempt'
import { version } from '../../../package.json'
import { connectMeilisearch } from '../../../search/index/indexes'
import { createSearchSync } from '../../../search/sync/sync'
import { readConfig } from '../../../src/config'
import { examineConfig } from '../../../src/operations/doctor/config'
import type { Diagnosis } from '../../../src/operations/doctor/diagnosis'
import { examineDisks, examineSpace } from '../../../src/operations/doctor/disk'
import { examineService } from '../../../src/operations/doctor/doctor'
import { examineMemory } from '../../../src/operations/doctor/memory'
import { examineClocks, examineLocks } from '../../../src/operations/doctor/postgres'
import { startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../../tiles-build/build'
import { createTileStore } from '../../../tiles-build/store/create-tile-store'
import { enqueue } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { isRedisMissing, startRedis } from '../../support/redis-server'
import { createTestDatabase, waitFor } from '../../support/servers'
import { startS3Server } from '../../tiles-build/s3-server'

/* An idle service. Each test breaks one thing. */

const { url, sql } = await createTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'doctor-'))
const meili = await startMeilisearch(join(dir, 'meilisearch'))
if (meili === null) throw new Error('there is no Meilisearch for this platform')
const redis = isRedisMissing ? null : await startRedis()
const tiles = createTileStore(join(dir, 'tiles'))

await seedSampleCounty(sql, { parcels: 200, entities: 10 })
const indexSync = createSearchSync({ databaseUrl: url, meili })
await indexSync.rebuild()
await indexSync.stop()
const { hash } = await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl: url, to: tiles, workDir: join(dir, 'work') })
const archive = join(dir, 'tiles/parcels', `${hash}.pmtiles`)
/** The roles that the database sees. */
const roles = ['api', 'worker', 'search-sync-leader', 'scheduler', 'tiles'].map((applicationName) =>
  connectDatabase(url, { max: 1, applicationName }),
)
await Promise.all(roles.map((role) => role`select 1`))

afterAll(async () => {
  await Promise.all([meili.stop(), redis?.kill(), ...roles.map((role) => role.end())])
  rmSync(dir, { recursive: true, force: true })
})

const environment = {
  DATABASE_URL: url,
  MEILI_URL: meili.url,
  MEILI_MASTER_KEY: meili.masterKey,
  ...(redis === null ? {} : { REDIS_URL: redis.url }),
  SERVICE_API_KEYS: '{"0123456789abcdef":{"capabilities":["admin"]}}',
  DATA_DIR: dir,
  CHROMIUM_PATH: '/bin/sh',
}

/** Everything that is not ok, with `changes` to the environment. */
const examine = async (changes: Record<string, string> = {}): Promise<Diagnosis[]> => {
  const config = readConfig({ ...environment, ...changes })
  const found = await examineService(config, {
    databaseUrl: config.databaseUrl ?? '',
    meili: config.meili,
  })
  return found.filter(({ state }) => state !== 'ok')
}

const faultOf = (about: string, what: string, advice: string): Diagnosis => ({
  about,
  state: 'fault',
  what: expect.stringContaining(what) as unknown as string,
  advice: expect.stringContaining(advice) as unknown as string,
})

const command = async (args: string[], changes: Record<string, string> = {}) => {
  const child = Bun.spawn(commandOf('src/cli/doctor.ts', ...args), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', ...environment, ...changes },
  })
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code, out, err }
}

test('a healthy service has no findings, and no secret is shown', async () => {
  const { code, out } = await command([])
  expect(out).not.toMatch(/^(warn|FAULT)/m)
  expect(code).toBe(0)
  for (const about of [
    'configuration',
    'Bun',
    'PostgreSQL',
    'migrations',
    'Meilisearch',
    'search index',
    'jobs',
    'roles',
  ]) {
    expect(out).toMatch(new RegExp(`^ok +${about} `, 'm'))
  }
  expect(out).toContain('200 parcels and 10 entities')
  expect(out).toContain(hash)
  for (const secret of [new URL(url).password, meili.masterKey, '0123456789abcdef']) expect(out).not.toContain(secret)
})

test('buckets of kept pages and exports: that they answer, and that there is a key for them', async () => {
  const s3 = startS3Server()
  const buckets = { PAGES_URL: 's3://county/pages', EXPORTS_URL: 's3://county/exports', AWS_ENDPOINT_URL: s3.url }
  const reached = await command([], { ...buckets, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' })
  expect(reached.out).toMatch(/^ok +kept pages +s3:\/\/county\/pages answers/m)
  expect(reached.out).toMatch(/^ok +exports +s3:\/\/county\/exports answers/m)
  expect(reached.code).toBe(0)
  const keyless = await command([], buckets)
  expect(keyless.out).toMatch(/^FAULT +exports .*AWS_SECRET_ACCESS_KEY must be set\n +→ check EXPORTS_URL/m)
  expect(keyless.code).toBe(1)
  s3.stop()
  const gone = await command([], { ...buckets, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' })
  expect(gone.out).toMatch(/^FAULT +kept pages +PAGES_URL is not available/m)
})

test('a fault ends the command with code 1, in the table and as JSON; an invalid command line with code 2', async () => {
  const away = { MEILI_URL: 'http://127.0.0.1:9' }
  const table = await command([], away)
  expect([table.code, table.out]).toEqual([
    1,
    expect.stringMatching(/^FAULT +Meilisearch .*\n +→ check that the server runs/m),
  ])
  const json = await command(['--json'], away)
  expect(json.code).toBe(1)
  expect(JSON.parse(json.out)).toMatchObject({
    ok: false,
    findings: expect.arrayContaining([expect.objectContaining({ about: 'Meilisearch', state: 'fault' })]),
  })
  expect((await command(['--loud'])).code).toBe(2)
})

test('if one of several Meilisearch instances is down, it is named with its states', async () => {
  const found = await examine({ MEILI_URLS: `http://127.0.0.1:9=OR,WA ${meili.url}=*` })
  const ofMeilisearch = found.filter(({ about }) => about.startsWith('Meilisearch'))
  expect(ofMeilisearch).toMatchObject([
    { about: 'Meilisearch 127.0.0.1:9 (OR, WA)', state: 'fault', advice: expect.stringContaining('MEILI_URLS') },
  ])
  // The other one still has all states.
  expect(found).toContainEqual(
    expect.objectContaining({ about: `search index ${new URL(meili.url).host} (all but OR, WA)`, state: 'fault' }),
  )
})

test('an invalid variable is named', async () => {
  const { code, out } = await command([], { PORT: 'many' })
  expect(code).toBe(1)
  expect(out).toMatch(/^FAULT +configuration +PORT must be a whole number/)
})

test('keys without an admin among them are a warning', async () => {
  const SERVICE_API_KEYS = '{"0123456789abcdef":{"capabilities":["read"]}}'
  expect(await examine({ SERVICE_API_KEYS })).toEqual([
    expect.objectContaining({ state: 'warn', what: expect.stringContaining('there is no admin key') }),
  ])
})

test('missing configuration is a warning', async () => {
  const found = await examine({ SERVICE_API_KEYS: '', CHROMIUM_PATH: '/nowhere', BASE_URL: 'http://parcels.example' })
  expect(found.map(({ state, what }) => [state, what])).toEqual([
    ['warn', expect.stringContaining('SERVICE_API_KEYS is not set')],
    ['warn', expect.stringContaining('BASE_URL is not https')],
    ['warn', expect.stringContaining('Chromium not found at /nowhere')],
  ])
})

test('servers that only one process can use are a warning for a service with its own database', () => {
  const { MEILI_URL: _, MEILI_MASTER_KEY: __, ...lacking } = { ...environment, REDIS_URL: '' }
  expect(examineConfig(readConfig(lacking)).map(({ state, what }) => [state, what])).toEqual([
    ['warn', expect.stringContaining('MEILI_URL is not set')],
    ['warn', expect.stringContaining('REDIS_URL is not set')],
  ])
})

test('a database that is down is one fault, and the rest is still checked', async () => {
  const found = await examine({ DATABASE_URL: 'postgres://parcels:secret@127.0.0.1:9/parcels' })
  expect(found).toEqual([faultOf('PostgreSQL', 'ECONNREFUSED', 'DATABASE_URL')])
  expect(JSON.stringify(found)).not.toContain('secret')
})

test('a database without a connection left for the service', async () => {
  const full = new URL(url)
  Object.assign(full, { username: `full_${full.pathname.slice(1)}`, password: 'full' })
  await sql.unsafe(`create role ${full.username} login password 'full' connection limit 0`)
  expect(await examine({ DATABASE_URL: full.href })).toEqual([
    faultOf('PostgreSQL', 'too many connections', 'raise max_connections, or start fewer processes'),
  ])
  await sql.unsafe(`drop role ${full.username}`)
})

test('a database that accepts no writes', async () => {
  const readOnly = new URL(url)
  readOnly.searchParams.set('default_transaction_read_only', 'on')
  expect(await examine({ DATABASE_URL: readOnly.href })).toEqual([
    faultOf('PostgreSQL', 'the database accepts no writes: ', 'set DATABASE_URL to the primary'),
  ])
})

test('a session whose open transaction keeps others waiting is named', async () => {
  const [holder, waiter] = ['psql', 'pg_dump'].map((applicationName) =>
    connectDatabase(url, { max: 1, applicationName }),
  )
  if (holder === undefined || waiter === undefined) throw new Error('two connections')
  const release = Promise.withResolvers<void>()
  const held = Promise.withResolvers<number>()
  const holding = holder.begin(async (tx) => {
    await tx`lock table findings in access exclusive mode`
    held.resolve(Number((await tx`select pg_backend_pid() as pid`)[0]?.pid))
    await release.promise
  })
  const pid = await held.promise
  const waiting = waiter`select count(*) from findings`.then(() => {})
  const waits = () => sql`
    select from pg_stat_activity
    where application_name = 'pg_dump' and wait_event_type = 'Lock' and datname = current_database()`
  await waitFor(async () => (await waits()).length === 1)
  // A short wait is no problem.
  expect((await listBlockers(sql, 600)).length).toBe(0)
  expect(await listBlockers(sql, 0)).toEqual([
    { pid, applicationName: 'psql', user: expect.any(String), openS: expect.any(Number), waiting: 1 },
  ])
  await waitFor(async () => (await listBlockers(sql, 10)).length === 1)
  const [diagnosis] = await examineLocks(sql)
  expect(diagnosis).toMatchObject({ about: 'locks', state: 'warn', advice: expect.stringContaining(String(pid)) })
  expect(diagnosis?.what).toMatch(
    /^1 session waits for a transaction that has been open for 1\d s: process \d+ of PostgreSQL, psql as /,
  )
  release.resolve()
  await Promise.all([holding, waiting])
  await Promise.all([holder.end(), waiter.end()])
  expect(await examineLocks(sql)).toEqual([])
})

test('a missing migration, an outdated function and a database of a newer version are named', async () => {
  const [newest] = await sql`
    delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations) returning *`
  expect(await examine()).toEqual([faultOf('migrations', '1 of ', 'bun run db:migrate')])
  await sql`insert into drizzle.__drizzle_migrations ${sql(newest ?? {}, 'id', 'hash', 'created_at')}`
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 32503680000000)`
  expect(await examine()).toEqual([
    faultOf('migrations', 'the database has 1 migration that this version does not know', 'newer version'),
  ])
  await sql`delete from drizzle.__drizzle_migrations where hash = 'later'`
  await sql`update drizzle.service_version set version = '999.0.0'`
  expect(await examine()).toEqual([faultOf('migrations', 'version 999.0.0 of the service', 'newer version')])
  await sql`update drizzle.service_version set version = ${version}`
  const name = 'function parcel_key(source_parcel_id text)'
  const [{ hash: installed } = {}] = await sql`select hash from drizzle.installed_functions where name = ${name}`
  await sql`update drizzle.installed_functions set hash = 'earlier' where name = ${name}`
  expect(await examine()).toEqual([faultOf('migrations', `out of date: ${name}`, 'bun run db:migrate')])
  await sql`update drizzle.installed_functions set hash = ${installed} where name = ${name}`
})

test('a key that Meilisearch refuses', async () => {
  expect(await examine({ MEILI_MASTER_KEY: 'another' })).toEqual([
    faultOf('Meilisearch', 'refuses MEILI_MASTER_KEY', 'the master key that the server was started with'),
  ])
})

test('an index with a missing document, without a sync role, and one that is missing or being built', async () => {
  const client = connectMeilisearch(meili)
  const settle = async (task: { taskUid: number }) => void (await client.tasks.waitForTask(task.taskUid))
  const [row] = await sql`select id from parcels limit 1`
  const document = await client.index('parcels').getDocument(row?.id)
  await settle(await client.index('parcels').deleteDocument(row?.id))
  expect(await examine()).toEqual([
    faultOf('search index', '199 parcels and 10 entities; the database has 200', 'search:reindex --check'),
  ])
  await settle(await client.index('parcels').addDocuments([document]))
  expect(await examine()).toEqual([])

  await sql`update parcels set owner_name = 'CHANGED' where id = ${row?.id}`
  expect(await examine()).toEqual([])
  await sql`update search_outbox set changed_at = now() - interval '5 minutes'`
  expect(await examine()).toEqual([
    faultOf('search index', '1 change waits to be sent, the oldest for 5 min', 'bun start sync'),
  ])
  await sql`
    insert into leaders (duty, owner, term, expires_at) values ('search-sync', gen_random_uuid(), 1, now() + interval '1 h')
    on conflict (duty) do update set expires_at = excluded.expires_at`
  await settle(await client.index('parcels').addDocuments([document]))
  expect(await examine()).toEqual([
    expect.objectContaining({
      ...{ about: 'search index', state: 'warn' },
      what: '1 change waits to be sent, the oldest for 5 min; others are being sent',
    }),
  ])
  await sql`delete from leaders where duty = 'search-sync'`
  await sql`delete from search_outbox`

  await settle(await client.deleteIndex('entities'))
  expect(await examine()).toEqual([faultOf('search index', 'there is no index', 'bun run search:reindex')])
  const rebuild = await sql.begin((tx) => startRebuild(tx, 'search', 210))
  if (rebuild === null) throw new Error('another rebuild runs')
  await setRebuildProgress(sql, rebuild, 100)
  expect(await examine()).toEqual([
    expect.objectContaining({
      about: 'search index',
      state: 'warn',
      what: 'there is no index; it is being built: 100 of 210 documents',
    }),
  ])
  await endRebuild(sql, rebuild, 210)
  const again = createSearchSync({ databaseUrl: url, meili })
  await again.rebuild()
  await again.stop()
  expect(await examine()).toEqual([])
})

test.skipIf(isRedisMissing)(
  'a Redis that is down, lacks the database, is full or read-only, or evicts jobs when its memory is full',
  async () => {
    expect(await examine({ REDIS_URL: 'redis://127.0.0.1:9' })).toEqual([faultOf('Redis', 'ECONNREFUSED', 'REDIS_URL')])
    expect(await examine({ REDIS_URL: `${redis?.url}/999` })).toEqual([
      faultOf('Redis', 'DB index is out of range', 'REDIS_URL'),
    ])
    const client = new Redis(redis?.url ?? '')
    await client.config('SET', 'maxmemory', '1')
    expect(await examine()).toEqual([faultOf('Redis', 'OOM command not allowed', 'more memory')])
    await client.config('SET', 'maxmemory', '0')
    await client.replicaof('127.0.0.1', 9)
    expect(await examine()).toEqual([faultOf('Redis', 'READONLY', 'set REDIS_URL to the primary')])
    await client.replicaof('NO', 'ONE')
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    expect(await examine()).toEqual([faultOf('Redis', 'allkeys-lru', 'maxmemory-policy noeviction')])
    await client.config('SET', 'maxmemory-policy', 'noeviction')
    client.disconnect()
  },
)

test('an identity provider that is down, is not one, has another name, or does not publish its endpoints', async () => {
  let answer: unknown = null
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      url.endsWith('/realm/.well-known/openid-configuration') && answer !== null
        ? Response.json(answer)
        : new Response('', { status: 404 }),
  })
  const issuer = `http://127.0.0.1:${server.port}/realm`
  const at = (OIDC_ISSUER: string) =>
    examine({ OIDC_ISSUER, OIDC_CLIENT_ID: 'parcels', OIDC_CLIENT_SECRET: 'a-secret' })
  const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, jwks_uri: `${issuer}/keys` }

  expect(await at('http://127.0.0.1:9')).toEqual([faultOf('sign-in', 'ECONNREFUSED', 'OIDC_ISSUER is right')])
  expect(await at(issuer)).toEqual([
    faultOf('sign-in', 'does not answer as an OpenID provider', 'openid-configuration'),
  ])
  answer = { ...metadata, issuer: 'https://id.example' }
  expect(await at(issuer)).toEqual([
    faultOf('sign-in', `the provider at ${issuer} has the issuer https://id.example`, 'OIDC_ISSUER'),
  ])
  answer = metadata
  expect(await at(issuer)).toEqual([faultOf('sign-in', 'does not publish its token_endpoint', 'OpenID Connect')])
  answer = { ...metadata, token_endpoint: `${issuer}/token` }
  expect(await at(issuer)).toEqual([])
  await server.stop(true)
})

test('jobs that no worker takes, that wait for a breaker, or that belong to a dead worker', async () => {
  await enqueue(sql, 'sample-county', ['12-0001-0010', '12-0001-0020'])
  expect(await examine()).toEqual([])
  await sql`update scrape_jobs set not_before = now() - interval '20 minutes'`
  expect(await examine()).toEqual([
    faultOf('jobs', 'jobs have waited for 20 min and none was taken', 'bun start worker'),
  ])

  await sql`update vendor_concurrency set breaker_opened_at = now()`
  expect(await examine()).toEqual([
    expect.objectContaining({ about: 'jobs', state: 'warn', advice: expect.stringContaining('tuning-log') }),
  ])
  await sql`update vendor_concurrency set breaker_opened_at = null`

  await sql`update scrape_jobs set status = 'running', lease_expires_at = now() - interval '5 minutes'`
  expect(await examine()).toEqual([faultOf('jobs', '2 jobs belong to workers that are gone', 'bun start worker')])
  await sql`delete from scrape_jobs`
})

test('the role sync is seen with several Meilisearch, where each has its own leader', async () => {
  const [, , sync] = roles
  await sync?.end()
  const applicationName = 'search-sync meilisearch.example:7700 by 1-leader'
  roles[2] = connectDatabase(url, { max: 1, applicationName })
  await roles[2]`select 1`
  expect(await examine()).toEqual([])
})

test('roles without a process are named', async () => {
  const [api] = roles
  await api?.end()
  expect(await examine()).toEqual([
    expect.objectContaining({
      about: 'roles',
      state: 'warn',
      what: 'no process has these roles: api',
      advice: 'bun start api',
    }),
  ])
  roles[0] = connectDatabase(url, { max: 1, applicationName: 'api' })
  await roles[0]`select 1`
})

test('an archive that is missing, truncated, changed in one byte, or being built', async () => {
  const whole = readFileSync(archive)
  rmSync(archive)
  expect(await examine()).toEqual([faultOf('tiles', `parcels/${hash} is missing from`, 'bun run tiles:build')])
  writeFileSync(archive, whole.subarray(0, -1))
  expect(await examine()).toEqual([
    faultOf('tiles', `${whole.length - 1} bytes, but ${whole.length} were built`, 'bun run tiles:build'),
  ])
  const changed = Buffer.from(whole)
  changed[whole.length - 1] = (changed[whole.length - 1] ?? 0) ^ 1
  writeFileSync(archive, changed)
  expect(await examine()).toEqual([faultOf('tiles', 'its bytes have changed', 'bun run tiles:build')])
  writeFileSync(archive, whole)
  expect(await examine()).toEqual([])

  await sql`update tile_builds set status = 'retired'`
  expect(await examine()).toEqual([
    expect.objectContaining({ about: 'tiles', state: 'warn', what: 'no archive has been built' }),
  ])
  const { id, work } = await sql.begin((tx) => beginTileBuild(tx, 'parcels'))
  expect(await examine()).toEqual([
    expect.objectContaining({ about: 'tiles', state: 'warn', what: 'the first archive is being built' }),
  ])
  await finishWork(sql, work)
  await sql`delete from tile_builds where id = ${id}`
  await sql`update tile_builds set status = 'published'`
})

test('a folder that is not writable, and a full disk', async () => {
  const file = join(dir, 'a-file')
  writeFileSync(file, '')
  expect(examineDisks(readConfig({ DATA_DIR: join(file, 'data') }))).toEqual([
    faultOf('disk (DATA_DIR)', 'cannot be written to', 'DATA_DIR'),
  ])
  const everything = Number.MAX_SAFE_INTEGER
  const isShort = (faultBelow: number) => examineSpace('DATA_DIR', dir, { faultBelow, warnBelow: everything })
  expect(isShort(everything)).toEqual(faultOf('disk (DATA_DIR)', 'GB free of', 'free up space'))
  expect(isShort(0).state).toBe('warn')
})

test('a machine with too little memory for the embedded servers', () => {
  const embedded = readConfig({ ...environment, DATABASE_URL: '' })
  expect(examineMemory(embedded, 1024 ** 3)).toEqual([
    {
      about: 'memory',
      state: 'warn',
      what: expect.stringMatching(/^1\.0 GB, of the machine or its container: /),
      advice: expect.stringContaining('use 2 GB or more'),
    },
  ])
  for (const [config, limit] of [
    [embedded, 2e9],
    [readConfig(environment), 1024 ** 3],
  ] as const)
    expect(examineMemory(config, limit).map(({ state }) => state)).toEqual(['ok'])
})

test('each disk is examined once, before the servers, also if it is mounted below another folder', async () => {
  const data = mkdtempSync(join(dir, 'data-'))
  mkdirSync(join(data, 'pages'))
  symlinkSync('/dev/shm', join(data, 'exports'))
  const { out } = await command([], { DATA_DIR: data, TILES_URL: join(dir, 'tiles') })
  const checks = [...out.matchAll(/^\S+ +(disk \(\w+\)|PostgreSQL)/gm)].map(([, about]) => about)
  expect(checks).toEqual(['disk (DATA_DIR)', 'disk (EXPORTS_URL)', 'PostgreSQL'])
})

test('a clock that is too far from that of PostgreSQL for webhooks is found', async () => {
  const at = (aheadMs: number) => examineClocks(sql, () => Date.now() + aheadMs)
  expect(await at(0)).toEqual([
    { about: 'clocks', state: 'ok', what: 'this machine and PostgreSQL agree', advice: null },
  ])
  expect(await at(600_000)).toMatchObject([
    {
      state: 'fault',
      what: expect.stringMatching(/^this machine is \d+ s ahead of PostgreSQL: receivers refuse its webhooks$/),
    },
  ])
  expect(await at(-600_000)).toMatchObject([{ state: 'fault', what: expect.stringContaining('behind PostgreSQL') }])
})
