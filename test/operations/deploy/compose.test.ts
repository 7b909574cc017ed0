import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import type { Portal } from '../../../dev/sample-portal/portal'
import { startSamplePortal } from '../../../dev/sample-portal/sample-portal'
import { packageManager, scripts } from '../../../package.json'
import { type Child, findFreePort, spawnServer } from '../../../src/operations/embedded/child'
import { MEILISEARCH_MALLOC, startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { POSTGRES_MALLOC } from '../../../src/operations/embedded/postgres'
import { createTestDatabase, waitFor } from '../../support/servers'
import { START_ENVIRONMENT } from '../../support/start-environment'
import { type ComposeService, composeConfig, isComposeMissing } from './compose-file'
import { layOutImage, readStage } from './dockerfile'

/*
 * Tests compose.yaml without Docker. docker-compose reads it. The image's files are copied into a folder as in the Dockerfile. The
 * commands of the containers run from there, with the containers' environment, on real servers.
 */

const KEY = randomBytes(32).toString('hex')
const SECRETS = {
  POSTGRES_PASSWORD: 'a-password',
  REDIS_PASSWORD: 'another-password',
  MEILI_MASTER_KEY: 'a-master-key-of-32-characters-00',
  SERVICE_API_KEYS: JSON.stringify({ [KEY]: { capabilities: ['admin'] } }),
}
const ROLES = ['api', 'worker', 'sync', 'scheduler', 'tiles']

const { url: databaseUrl, sql } = await createTestDatabase()

describe.skipIf(isComposeMissing)('compose.yaml', () => {
  const { services, refusal } = composeConfig({ ...SECRETS, ALLOW_PRIVATE_SOURCES: '1', LOG_LEVEL: 'warn' })

  test('docker-compose accepts it, and every service has a memory limit, a health check and its dependencies', () => {
    expect(refusal).toBe('')
    const names = ['postgres', 'meilisearch', 'redis', 'migrate', ...ROLES, 'caddy']
    expect(Object.keys(services).sort()).toEqual(names.sort())
    for (const [name, { deploy, healthcheck, restart, build, depends_on = {} }] of Object.entries(services)) {
      const isWatched = (healthcheck?.test ?? (build && readStage(build.target).healthcheck) ?? []).length > 0
      if (name === 'migrate')
        expect({ restart, healthcheck }).toEqual({ restart: 'no', healthcheck: { test: ['NONE'] } })
      else
        expect({ name, limit: deploy?.resources?.limits?.memory, restart, isWatched }).toEqual({
          name,
          limit: expect.stringMatching(/^\d+[mg]$/),
          restart: 'unless-stopped',
          isWatched: true,
        })
      if (!ROLES.includes(name)) continue
      expect(depends_on).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        postgres: { condition: 'service_healthy' },
        ...(name === 'worker' ? {} : { meilisearch: { condition: 'service_healthy' } }),
        redis: { condition: 'service_healthy' },
      })
    }
    expect(services.api?.deploy?.replicas).toBe(2)
    expect(services.worker?.build?.target).toBe('browser')
  })

  test('a worker, which runs the pages of portals, has no key of the service and reaches only the database, the queue, the kept pages and the exports', () => {
    const secrets = ['SERVICE_API_KEYS', 'MEILI_MASTER_KEY', 'OIDC_CLIENT_SECRET', 'AWS_SECRET_ACCESS_KEY']
    expect(Object.keys(services.worker?.environment ?? {}).filter((name) => secrets.includes(name))).toEqual([])
    expect(Object.keys(services.api?.environment ?? {})).toEqual(expect.arrayContaining(secrets))
    expect(services.worker?.volumes?.toSorted()).toEqual(['exports:/data/exports:rw', 'pages:/data/pages:rw'])
    const reachable = Object.entries(services)
      .filter(([, { networks }]) => Object.keys(networks ?? {}).includes('portals'))
      .map(([name]) => name)
    expect(reachable.sort()).toEqual(['postgres', 'redis', 'worker'])
    expect(Object.keys(services.worker?.networks ?? {})).toEqual(['portals'])
  })

  test('Redis requires a password, and every image can be pinned by its digest', () => {
    const { REDIS_PASSWORD } = SECRETS
    expect(services.redis?.command).toEqual(expect.arrayContaining(['--requirepass', REDIS_PASSWORD]))
    for (const role of ROLES) {
      expect(new URL(services[role]?.environment.REDIS_URL ?? '').password).toBe(REDIS_PASSWORD)
    }
    const digest = `postgres:18@sha256:${'0'.repeat(64)}`
    const images = { POSTGRES_IMAGE: digest, MEILI_IMAGE: digest, REDIS_IMAGE: digest, CADDY_IMAGE: digest }
    const pinned = composeConfig({ ...SECRETS, ...images, BUN_IMAGE: digest }).services
    for (const name of ['postgres', 'meilisearch', 'redis', 'caddy']) expect(pinned[name]?.image).toBe(digest)
    for (const role of ROLES) expect(pinned[role]?.build?.args).toEqual({ BUN_IMAGE: digest })
  })

  test('a missing secret is named', () => {
    for (const name of Object.keys(SECRETS)) {
      expect(composeConfig({ ...SECRETS, [name]: '' }).refusal).toContain(`set ${name} in .env`)
    }
  })

  test('the image has the Bun version that runs the tests', async () => {
    const [, bun] = packageManager.split('@')
    const bases = readStage('browser').instructions.filter(({ name }) => name === 'FROM')
    expect(bases.map(({ rest }) => rest)).toEqual([`oven/bun:${bun}-slim`])
  })

  test('the image starts the service with the variables of `bun start`', () => {
    expect(readStage('service').environment).toMatchObject(START_ENVIRONMENT)
    expect(Object.keys(START_ENVIRONMENT)).toContain('MIMALLOC_PURGE_DELAY')
  })

  test('`bun start` keeps a MIMALLOC_PURGE_DELAY of the environment', () => {
    const command = scripts.start.replace('bun src/main.ts', 'printenv MIMALLOC_PURGE_DELAY')
    const delayOf = (env: Record<string, string>) =>
      Bun.spawnSync(['sh', '-c', command], { env: { PATH: process.env.PATH ?? '', ...env } })
        .stdout.toString()
        .trim()
    expect([delayOf({}), delayOf({ MIMALLOC_PURGE_DELAY: '100' })]).toEqual(['-1', '100'])
  })

  test('PostgreSQL and Meilisearch keep freed memory as the embedded ones do', () => {
    expect(services.postgres?.environment).toMatchObject(POSTGRES_MALLOC)
    expect(services.meilisearch?.environment).toMatchObject(MEILISEARCH_MALLOC)
  })

  describe('its processes', () => {
    const dir = mkdtempSync(join(tmpdir(), 'parcel-data-service-image-'))
    const app = join(dir, 'app')
    const dataDir = join(dir, 'data')
    const running = new Map<string, { child: Child; environment: Record<string, string> }>()
    const stops: (() => unknown)[] = []
    let servers: Record<string, string> = {}
    let apiPort = 0
    let portal: Portal

    beforeAll(async () => {
      // The containers' user, who is not root, needs access.
      chmodSync(dir, 0o755)
      mkdirSync(app)
      mkdirSync(dataDir)
      if (isRoot) chownSync(dataDir, USER, USER)
      await layOutImage('browser', app)

      const meilisearch = await startMeilisearch(join(dir, 'meilisearch'))
      if (meilisearch === null) throw new Error('there is no Meilisearch for this platform')
      stops.push(meilisearch.stop)
      // Empty, like the database that the PostgreSQL container creates.
      await sql`drop schema drizzle cascade`
      await sql`drop schema public cascade`
      await sql`create schema public`
      const redis = await startRedis()
      servers = {
        DATABASE_URL: databaseUrl,
        MEILI_URL: meilisearch.url,
        MEILI_MASTER_KEY: meilisearch.masterKey,
        REDIS_URL: `redis://:${SECRETS.REDIS_PASSWORD}@127.0.0.1:${redis}`,
      }
    })
    afterAll(async () => {
      for (const { child } of running.values()) child.kill('SIGKILL')
      await Promise.all([...running.values()].map(({ child }) => child.exited))
      for (const stop of stops.reverse()) await stop()
      rmSync(dir, { recursive: true, force: true })
    })

    /** Runs the command and health check of the Redis container, on a free port and in the test's folder. */
    const startRedis = async (): Promise<number> => {
      const port = await findFreePort()
      const command = [...(services.redis?.command ?? []), '--port', String(port), '--bind', '127.0.0.1', '--dir', dir]
      const child = spawnServer(command, { logFile: join(dir, 'redis.log') })
      stops.push(() => {
        child.kill('SIGKILL')
        return child.exited
      })
      const [, check = ''] = services.redis?.healthcheck?.test ?? []
      const isHealthy = (password: string) =>
        Bun.spawnSync(['sh', '-c', check.replace('redis-cli', `redis-cli -p ${port}`)], {
          env: { PATH: process.env.PATH ?? '', REDISCLI_AUTH: password },
        }).exitCode === 0
      await waitFor(() => isHealthy(String(services.redis?.environment.REDISCLI_AUTH)))
      expect(isHealthy('wrong')).toBe(false)
      return port
    }

    /** The container's environment, with the servers and ports of the test. */
    const environmentOf = async (service: ComposeService): Promise<Record<string, string>> => {
      const composed = Object.entries(service.environment).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      )
      return {
        PATH: process.env.PATH ?? '',
        ...readStage(service.build?.target ?? '').environment,
        ...Object.fromEntries(composed.map(([name, value]) => [name, servers[name] ?? value])),
        HOST: '127.0.0.1',
        PORT: String(await findFreePort()),
        METRICS_PORT: String(await findFreePort()),
        DATA_DIR: dataDir,
      }
    }

    const start = async (name: string, service: ComposeService) => {
      const environment = await environmentOf(service)
      const entrypoint = service.entrypoint ?? readStage(service.build?.target ?? '').entrypoint
      const command = [...asContainer, ...entrypoint, ...(service.command ?? [])]
      const child = spawnServer(command, { logFile: join(dir, `${name}.log`), cwd: app, env: environment })
      running.set(name, { child, environment })
      return child
    }
    const logOf = (name: string): string => readFileSync(join(dir, `${name}.log`), 'utf8')

    const isHealthy = async (name: string): Promise<boolean> => {
      const { environment } = running.get(name) ?? { environment: {} }
      const check = readStage('service').healthcheck
      return (
        (await Bun.spawn(check, { cwd: app, env: environment, stdio: ['ignore', 'ignore', 'ignore'] }).exited) === 0
      )
    }

    const call = async (path: string, body?: unknown) => {
      const response = await fetch(`http://127.0.0.1:${apiPort}${path}`, {
        headers: { 'x-service-key': KEY, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: a body is what the test expects it to be
      return { status: response.status, body: (await response.json()) as any }
    }

    test('addresses name services in the file', () => {
      const { DATABASE_URL, MEILI_URL, REDIS_URL } = services.api?.environment ?? {}
      const hosts = [DATABASE_URL, MEILI_URL, REDIS_URL].map((url) => new URL(url ?? '').host)
      expect(hosts).toEqual(['postgres:5432', 'meilisearch:7700', 'redis:6379'])
    })

    test('Meilisearch has the version that the file pins', async () => {
      const answer = await fetch(`${servers.MEILI_URL}/version`, {
        headers: { authorization: `Bearer ${servers.MEILI_MASTER_KEY}` },
      })
      const { pkgVersion } = (await answer.json()) as { pkgVersion: string }
      expect(services.meilisearch?.image).toBe(`getmeili/meilisearch:v${pkgVersion}`)
    })

    test('migrate creates the schema and exits with code 0', async () => {
      const child = await start('migrate', services.migrate as ComposeService)
      expect([await child.exited, logOf('migrate')]).toEqual([0, 'the schema is up to date\n'])
      running.delete('migrate')
      const [vendors] = await sql`select count(*)::int as n from vendor_concurrency`
      expect(vendors?.n).toBeGreaterThanOrEqual(24)
    })

    test('every replica of every role becomes ready', async () => {
      await seedSampleCounty(sql, { parcels: 200, entities: 20 })
      portal = await startSamplePortal(sql)
      stops.push(portal.stop)
      for (const role of ROLES) {
        const service = services[role] as ComposeService
        for (let replica = 1; replica <= (service.deploy?.replicas ?? 1); replica++)
          await start(`${role}-${replica}`, service)
      }
      expect(running.size).toBe(6)
      for (const name of running.keys()) {
        const hasEnded = running.get(name)?.child.exited.then((code) => `${name} ended with ${code}: ${logOf(name)}`)
        const ready = waitFor(() => isHealthy(name), 60_000).then(() => 'ready')
        expect(await Promise.race([hasEnded, ready])).toBe('ready')
      }
      apiPort = Number(running.get('api-2')?.environment.PORT)
    })

    test('a search finds ingested parcels', async () => {
      const file = join(dir, 'parcels.csv')
      writeFileSync(file, 'source_parcel_id,owner_name,situs_address\nC-1,QUILLFEATHER MARIGOLD,12 COMPOSE LN\n')
      const environment = running.get('sync-1')?.environment ?? {}
      const ingest = Bun.spawnSync(
        ['bun', 'src/cli/ingest.ts', 'parcels', '--source', 'or-compose', '--state', 'OR', '--county', 'Compose', file],
        { cwd: app, env: environment },
      )
      expect([ingest.exitCode, ingest.stderr.toString()]).toEqual([0, expect.stringContaining('1 written')])
      await waitFor(async () => (await call('/v1/search?q=quilfeather%20marigold')).body.count === 1)
    })

    test('the worker runs a job that one api process queued, and every api process shows the result', async () => {
      const queued = await call('/v1/scrape-jobs', { source: 'sample-county', source_parcel_id: '12-0001-0010' })
      expect(queued.status).toBe(200)
      apiPort = Number(running.get('api-1')?.environment.PORT)
      const jobPath = `/v1/scrape-jobs/${queued.body.jobs[0].id}`
      await waitFor(async () => ['done', 'error'].includes((await call(jobPath)).body.status))
      expect((await call(jobPath)).body).toMatchObject({ status: 'done', error_message: null })
    })

    test('the tiles role builds an archive, and the api serves it from their shared volume', async () => {
      await waitFor(async () => (await call('/tiles/manifest.json')).status === 200, 60_000)
      const { url } = (await call('/tiles/manifest.json')).body.parcels
      expect(url).toStartWith('https://localhost/tiles/parcels/')
      const archive = await fetch(`http://127.0.0.1:${apiPort}${new URL(url).pathname}`, {
        headers: { range: 'bytes=0-6' },
      })
      expect([archive.status, await archive.text()]).toEqual([206, 'PMTiles'])
    })

    test('the map and the web app are served from the files in the image', async () => {
      const origin = `http://127.0.0.1:${apiPort}`
      for (const path of ['/map', '/app/search']) {
        const page = await (await fetch(`${origin}${path}`)).text()
        const assets = [...page.matchAll(/(?:src|href)="(\/app\/assets\/[^"]+)"/g)].map(([, path]) => path)
        expect(assets.length).toBeGreaterThanOrEqual(2)
        for (const asset of assets) expect((await fetch(`${origin}${asset}`)).status).toBe(200)
      }
    })

    test.skipIf(isCaddyMissing)(
      'Caddy serves the api over HTTPS, and browsers cache the manifest for five minutes',
      async () => {
        const caddyDir = join(dir, 'caddy')
        mkdirSync(caddyDir)
        const [httpPort, port, adminPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
        const { command = [], environment, healthcheck } = services.caddy as ComposeService
        const child = spawnServer(
          command.map((word) => word.replace('/etc/caddy', join(process.cwd(), 'deploy/caddy'))),
          {
            logFile: join(dir, 'caddy.log'),
            env: {
              PATH: process.env.PATH ?? '',
              XDG_DATA_HOME: caddyDir,
              XDG_CONFIG_HOME: caddyDir,
              ...(environment as Record<string, string>),
              CADDY_ADMIN: `127.0.0.1:${adminPort}`,
              CADDY_HTTP_PORT: String(httpPort),
              CADDY_HTTPS_PORT: String(port),
              API_HOST: 'localhost',
              API_PORT: String(apiPort),
            },
          },
        )
        running.set('caddy', { child, environment: {} })
        const check = (healthcheck?.test ?? []).slice(1).map((word) => word.replace(':2019', `:${adminPort}`))
        await waitFor(() => Bun.spawnSync(check).exitCode === 0)

        const authority = join(caddyDir, 'caddy/pki/authorities/local/root.crt')
        await waitFor(() => existsSync(authority))
        const get = (path: string, headers: Record<string, string> = {}) =>
          fetch(`https://localhost:${port}${path}`, { headers, tls: { ca: readFileSync(authority, 'utf8') } })
        await waitFor(async () => (await get('/health').catch(() => null))?.status === 200)

        const manifest = await get('/tiles/manifest.json')
        expect(manifest.status).toBe(200)
        expect(manifest.headers.get('cache-control')).toBe('public, max-age=300, s-maxage=300')
        expect(manifest.headers.get('strict-transport-security')).toStartWith('max-age=')
        const { url } = ((await manifest.json()) as { parcels: { url: string } }).parcels
        const archive = await get(new URL(url).pathname, { range: 'bytes=0-6' })
        expect([archive.status, await archive.text()]).toEqual([206, 'PMTiles'])
        expect(archive.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect((await get('/v1/sources', { 'x-service-key': KEY })).status).toBe(200)
        expect((await get('/metrics')).status).toBe(404)
        const plain = await fetch(`http://localhost:${httpPort}/health`, { redirect: 'manual' })
        expect([plain.status, plain.headers.get('location')]).toEqual([
          308,
          expect.stringContaining('https://localhost'),
        ])
      },
    )

    test('on SIGTERM all processes finish their work and exit with code 0, well within their grace period', async () => {
      // A portal that answers only after `release`.
      const release = Promise.withResolvers<void>()
      let held = 0
      const slow = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: async ({ url }) => {
          held++
          await release.promise
          const { pathname, search } = new URL(url)
          return fetch(`${portal.origin}${pathname}${search}`)
        },
      })
      stops.push(() => slow.stop(true))
      await sql`update sources set base_url = ${`http://127.0.0.1:${slow.port}/assessor`} where source = 'sample-county'`
      const queued = await call('/v1/scrape-jobs', { source: 'sample-county', source_parcel_id: '12-0001-0020' })
      const answer = call('/v1/parcels/sample-county/12-0001-0030/scrape-now', {})
      await waitFor(() => held === 2)

      const startedAt = performance.now()
      for (const { child } of running.values()) child.kill('SIGTERM')
      const takesNoMore = () =>
        call('/health').then(
          () => false,
          () => true,
        )
      await waitFor(takesNoMore)
      release.resolve()
      const codes = await Promise.all([...running].map(async ([name, { child }]) => [name, await child.exited]))
      expect(codes).toEqual([...running.keys()].map((name) => [name, 0]))
      expect((await answer).status).toBe(200)
      const [job] = await sql`select status, attempts from scrape_jobs where id = ${queued.body.jobs[0].id}`
      expect(job).toEqual({ status: 'done', attempts: 1 })
      const graceMs = 1_000 * Number.parseInt(services.worker?.stop_grace_period ?? '', 10)
      expect(performance.now() - startedAt).toBeLessThan(graceMs / 3)
      running.clear()
    })
  })
})

/** The test is skipped without Caddy, but never with CI=true. */
const isCaddyMissing = Bun.which('caddy') === null && process.env.CI !== 'true'

const isRoot = process.getuid?.() === 0
/** The user `bun` in the image. */
const USER = 1000
/** Runs a command like the containers: as a user that is not root, without capabilities, and unable to gain any. */
const asContainer = isRoot
  ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs', '--bounding-set=-all']
  : []
