import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { migrate } from '../../../drizzle/migrate'
import { findFreePort } from '../../../src/operations/embedded/child'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { issueKey } from '../../../src/people/issue-key'
import { startReplica } from '../../core/postgres/start-replica'
import { processorMs, processorMsOfFamily } from '../processor-time'
import { report } from '../report'
import { startServer } from '../start-server'
import { fire, type Shot } from '../wrk'

/*
 * `bun run bench replicas`: what one replica takes off the primary. The same requests go to a service without and with the replica, in turns.
 * Everything shares the machine, so the figures are the processor time for a request: of the service, of the primary and of the
 * replica. Requests per second would not show it.
 */
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    parcels: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
  },
})

const ADMIN_KEY = 'bench-admin-key-0123456789'
const SETTINGS = { shared_buffers: '512MB', synchronous_commit: 'off' }
const dir = mkdtempSync(join(tmpdir(), 'bench-replicas-'))
const stops: (() => Promise<unknown>)[] = [async () => rmSync(dir, { recursive: true })]

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** Boxes of some hundred parcels, each around one. */
const drawBoxes = async (sql: Sql): Promise<string[]> => {
  const places = await sql<{ x: number; y: number }[]>`
    select (center(bbox))[0] as x, (center(bbox))[1] as y from parcels tablesample system (1) repeatable (7) limit 100`
  return places.map(({ x, y }) => [x - 0.01, y - 0.01, x + 0.01, y + 0.01].map((degrees) => degrees.toFixed(6)).join())
}

try {
  const primary = await startPostgres(join(dir, 'primary'), SETTINGS)
  stops.push(primary.stop)
  await migrate(primary.url)
  const sql = connectDatabase(primary.url, { max: 2 })
  stops.push(() => sql.end())
  await seedSampleCounty(sql, { parcels: Number(values.parcels), entities: 1_000 })
  await sql`vacuum analyze`
  const { key: userKey } = await issueKey(sql, { name: 'bench', capabilities: [] })
  const ids = await sql<{ source: string; id: string }[]>`
    select source, source_parcel_id as id from parcels tablesample system (5) repeatable (7) limit 2000`
  const parcelPaths = ids.map(({ source, id }) => `/v1/parcels/${source}/${encodeURIComponent(id)}`)
  const boxPaths = (await drawBoxes(sql)).map((box) => `/v1/parcels?bbox=${box}&limit=1000`)
  const replica = await startReplica(primary, join(dir, 'primary'), join(dir, 'replica'), SETTINGS)
  stops.push(replica.stop)

  const start = async (environment: Record<string, string>) => {
    const port = await findFreePort()
    const server = await startServer(['bun', 'src/main.ts', 'api'], {
      env: {
        ...{ DATABASE_URL: primary.url, DATA_DIR: join(dir, String(port)), PORT: String(port), HOST: '127.0.0.1' },
        ...{ LOG_LEVEL: 'error', MEILI_URL: 'http://127.0.0.1:9' },
        SERVICE_API_KEYS: JSON.stringify({ [ADMIN_KEY]: { capabilities: ['admin'] } }),
        ...environment,
      },
      ready: 'Ready',
    })
    stops.push(async () => {
      server.kill()
      await server.exited
    })
    return { pid: server.pid, port }
  }
  const services = { without: await start({}), with: await start({ DATABASE_READ_URLS: replica.url }) }

  const measure = async ({ pid, port }: { pid: number; port: number }, shots: Shot[], seconds: number) => {
    const read = () => [processorMs(pid), processorMsOfFamily(primary.pid), processorMsOfFamily(replica.pid)]
    const before = read()
    const { requests } = await fire(port, shots, { connections: Number(values.connections), seconds })
    return read().map((ms, index) => ((ms - (before[index] ?? 0)) * 1_000) / requests)
  }

  const cases = [
    { title: 'one parcel, bootstrap key', paths: parcelPaths, key: ADMIN_KEY },
    { title: 'one parcel, user key', paths: parcelPaths, key: userKey },
    { title: 'box', paths: boxPaths, key: userKey },
  ]
  console.log('µs of processor time for a request, without and with one replica\n')
  for (const { title, paths, key } of cases) {
    const shots = paths.map((path) => ({ path, headers: { 'X-Service-Key': key } }))
    const figures = { without: [] as number[][], with: [] as number[][] }
    for (const service of Object.values(services)) await measure(service, shots, Number(values.seconds))
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const name of ['without', 'with'] as const) {
        figures[name].push(await measure(services[name], shots, Number(values.seconds)))
      }
    }
    const of = (name: 'without' | 'with', index: number) => median(figures[name].map((round) => round[index] ?? 0))
    for (const [index, server] of ['service', 'primary', 'replica'].entries()) {
      const [without, withReplica] = [of('without', index), of('with', index)]
      console.log(`${title}, ${server}: ${without.toFixed(0)} µs, ${withReplica.toFixed(0)} µs`)
      report({
        bench: 'replicas',
        title: `${title}: processor time of the ${server}, with one replica`,
        measured: `${withReplica.toFixed(0)} µs`,
        rival: `${without.toFixed(0)} µs without`,
      })
    }
  }
} finally {
  for (const stop of stops.reverse()) await stop()
}
