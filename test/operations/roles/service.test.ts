import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Meilisearch } from 'meilisearch'
import { indexNames } from '../../../search/index/indexes'
import { findFreePort, readCommandLine } from '../../../src/operations/embedded/child'
import { commandOf } from '../../runner/programs'
import { createTestDatabase, waitFor } from '../../support/servers'

/** The service as `bun start` runs it, with its own embedded servers. */

const dataDir = mkdtempSync(join(tmpdir(), 'parcel-data-service-'))
const port = await findFreePort()
const running = new Set<Bun.Subprocess>()
// A failed test must not leave processes running for the next test.
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  // Servers of a killed service are found by their data folder.
  for (const pid of serverPids()) process.kill(pid, 'SIGKILL')
  await waitFor(() => serverPids().length === 0)
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
const { url } = await createTestDatabase()

const serverPids = (): number[] => {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => readCommandLine(pid).includes(dataDir))
}

const start = (environment: Record<string, string> = {}, ...roles: string[]) => {
  const [bun = '', ...program] = commandOf('src/main.ts', ...roles)
  const child = Bun.spawn([bun, '--preload', './test/operations/roles/crash-on-signal.ts', ...program], {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...environment },
  })
  running.add(child)
  child.exited.then(() => running.delete(child))
  let output = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk)
  }
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)])
  return {
    child,
    output: () => output,
    ready: () => waitFor(() => output.includes('Ready') || child.exitCode !== null, 60_000),
    ended: async () => {
      const code = await child.exited
      await collected
      return { code, output }
    },
  }
}

const curl = async (line: string) => {
  const [, header = '', url = ''] = /curl -H '([^']+)' '([^']+)'/.exec(line) ?? []
  const [name = '', value = ''] = header.split(': ')
  const response = await fetch(url, { headers: { [name]: value } })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('it starts, scrapes sample parcels, survives kill -9, refuses a second one on its data, and stops without leaving a process behind', async () => {
  const first = start()
  await first.ready()
  const calls = first
    .output()
    .split('\n')
    .filter((line) => line.startsWith('curl '))
  expect(calls.length).toBe(3)
  const [search, box, parcel] = await Promise.all(calls.map(curl))
  expect(search?.status).toBe(200)
  expect(search?.body.results).toContainEqual(
    expect.objectContaining({ source_parcel_id: parcel?.body.source_parcel_id }),
  )
  expect(box?.body.parcels).toContainEqual(expect.objectContaining({ source_parcel_id: parcel?.body.source_parcel_id }))
  expect(parcel?.body).toMatchObject({ source: 'sample-county', geom_geojson: { type: 'MultiPolygon' } })

  const [, signIn = ''] = /^Sign in: (\S+)/m.exec(first.output()) ?? []
  const toProvider = await fetch(signIn, { redirect: 'manual' })
  expect(toProvider.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/auth\?/)
  const toPage = await fetch(toProvider.headers.get('location') ?? '', { redirect: 'manual' })
  const cookie = toPage.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ')
  const page = await fetch(new URL(toPage.headers.get('location') ?? '', toPage.url), { headers: { cookie } })
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Ada Juniper')])
  expect(first.output()).not.toContain('oidc-provider')

  const [, key = ''] = /X-Service-Key: (\w+)/.exec(calls[0] ?? '') ?? []
  const { source, source_parcel_id } = parcel?.body ?? {}
  const post = (path: string, body?: unknown) =>
    fetch(`http://localhost:${port}${path}`, {
      method: 'POST',
      headers: { 'X-Service-Key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const now = await post(`/v1/parcels/${source}/12-0001-0010/scrape-now`)
  expect(now.status).toBe(200)
  expect(await now.json()).toMatchObject({ source_parcel_id: '12-0001-0010', scraped_by: 'fixture' })
  expect((await post('/v1/scrape-jobs', { source, source_parcel_id })).status).toBe(200)
  await waitFor(async () => (await curl(calls[2] ?? '')).body.scraped_by === 'fixture')
  const scraped = await curl(calls[2] ?? '')
  expect(scraped.body.scrape_data).toMatchObject({ parcel_number: source_parcel_id })

  const second = await start({ PORT: String(await findFreePort()) }).ended()
  expect(second.code).toBe(1)
  expect(second.output).toContain(`${dataDir} is in use by`)
  expect(second.output).toContain('set DATA_DIR')

  first.child.kill('SIGKILL')
  await first.ended()
  const third = start()
  await third.ready()
  expect(await Promise.all(calls.map(curl))).toMatchObject([{ status: 200 }, { status: 200 }, scraped])

  third.child.kill('SIGTERM')
  expect((await third.ended()).code).toBe(0)
  expect(serverPids()).toEqual([])
})

test('an index of another Meilisearch version is rebuilt at the start; if an embedded server dies, the service ends with a code other than 0', async () => {
  writeFileSync(join(dataDir, 'meilisearch', 'data.ms', 'VERSION'), '1.10.0')
  const second = start()
  await second.ready()
  expect(second.output()).toContain(
    'the search index is from another Meilisearch version or damaged: it will be rebuilt',
  )
  const [, header = '', url = ''] = /curl -H '([^']+)' '([^']+search[^']+)'/.exec(second.output()) ?? []
  const found = await fetch(url, { headers: { 'x-service-key': header.split(': ')[1] ?? '' } })
  expect(found.headers.get('warning')).toBeNull()
  expect(((await found.json()) as { count: number }).count).toBeGreaterThan(0)

  const postgres = serverPids().find((pid) => readCommandLine(pid).includes('postgres'))
  process.kill(postgres ?? 0, 'SIGKILL')
  const { code, output } = await second.ended()
  expect(code).toBe(1)
  expect(output).toContain('the embedded PostgreSQL was killed (SIGKILL)')
  expect(serverPids()).toEqual([])
})

test('after an upgrade that changes the search index, the service starts with the former index, which answers until the new one is built', async () => {
  const former = start()
  await former.ready()
  const [, meiliPort = ''] = /Meilisearch, embedded, on 127\.0\.0\.1:(\d+)/.exec(former.output()) ?? []
  const apiKey = readFileSync(join(dataDir, 'meilisearch', 'master-key'), 'utf8').trim()
  const client = new Meilisearch({ host: `http://127.0.0.1:${meiliPort}`, apiKey })
  const { meta } = indexNames('')
  const build = await client.index(meta).getDocument('build')
  await client
    .index(meta)
    .addDocuments([{ ...build, settings_version: 'former' }])
    .waitTask()
  former.child.kill('SIGTERM')
  await former.ended()

  const service = start()
  await service.ready()
  const [, header = '', url = ''] = /curl -H '([^']+)' '([^']+search[^']+)'/.exec(service.output()) ?? []
  const found = await fetch(url, { headers: { 'x-service-key': header.split(': ')[1] ?? '' } })
  expect(found.headers.get('warning')).toBeNull()
  expect(((await found.json()) as { count: number }).count).toBeGreaterThan(0)
  expect(service.output()).toContain('until it is complete, the former one answers searches')
  service.child.kill('SIGTERM')
  expect(await service.ended()).toMatchObject({ code: 0 })
})

test('the service starts although the search index is not built in time: PostgreSQL answers until then', async () => {
  writeFileSync(join(dataDir, 'meilisearch', 'data.ms', 'VERSION'), '1.10.0')
  const service = start()
  await waitFor(() => service.output().includes('Meilisearch, embedded, on'), 60_000)
  const meilisearch = serverPids().find((pid) => readCommandLine(pid).includes('meilisearch'))
  process.kill(meilisearch ?? 0, 'SIGSTOP')
  await service.ready()
  process.kill(meilisearch ?? 0, 'SIGCONT')
  expect(service.output()).toContain('The search index is still being built: until it is complete, PostgreSQL')
  service.child.kill('SIGTERM')
  expect(await service.ended()).toMatchObject({ code: 0 })
  expect(serverPids()).toEqual([])
})

test('a port that is in use is reported before anything starts', async () => {
  const squatter = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const taken = squatter.port
  const { code, output } = await start({ PORT: String(taken) }).ended()
  await squatter.stop(true)
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining(`port ${taken} of 127.0.0.1 is in use: set another PORT`),
  })
  expect(output).not.toContain('PostgreSQL')
  expect(serverPids()).toEqual([])
})

test('a host that is not an address of this machine is refused, naming the variable', async () => {
  const { code, output } = await start(
    { DATABASE_URL: url, MEILI_URL: 'http://127.0.0.1:9', HOST: 'localhost:1' },
    'api',
  ).ended()
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining('HOST must be an address of this machine, not localhost:1'),
  })
})

test.each([
  ['error', 'SIGUSR2', 'all roles and embedded servers', {}, []],
  [
    'rejection',
    'SIGWINCH',
    'one role',
    { DATABASE_URL: url, METRICS_PORT: String(await findFreePort()) },
    ['scheduler'],
  ],
] as const)(
  'an uncaught %s (by %s) is logged, and a service with %s shuts down cleanly with a code other than 0',
  async (_, signal, __, environment, roles) => {
    const service = start(environment, ...roles)
    if ('METRICS_PORT' in environment)
      await waitFor(() =>
        fetch(`http://127.0.0.1:${environment.METRICS_PORT}/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
    else await service.ready()
    service.child.kill(signal)
    const { code, output } = await service.ended()
    expect(code).toBe(1)
    const lines = output.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        level: 60,
        msg: 'uncaught error: the process ends',
        err: expect.objectContaining({
          type: 'TypeError',
          message: expect.stringContaining('a bug'),
          stack: expect.stringContaining('crash-on-signal.ts'),
        }),
      }),
    )
    expect(serverPids()).toEqual([])
  },
)

test('a bad variable and an unknown role stop the start with the reason', async () => {
  expect(await start({ SERVICE_API_KEYS: '{' }).ended()).toMatchObject({
    code: 1,
    output: expect.stringContaining('SERVICE_API_KEYS must be JSON'),
  })
  expect(await start({}, 'apy').ended()).toMatchObject({
    code: 2,
    output: expect.stringContaining('unknown role apy: roles are api, sync, worker, scheduler'),
  })
})
