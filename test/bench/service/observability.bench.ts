import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { migrate } from '../../../drizzle/migrate'
import { findFreePort } from '../../../src/operations/embedded/child'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { atLeast, report } from '../report'
import { type BenchServer, startServer } from '../start-server'
import { fire } from '../wrk'

/*
 * bun run bench observability [--rounds 7] [--seconds 4] [--connections 32]
 *
 * Reads one parcel by key from two processes of the service: one with logs, metrics that are read every second, and traces sent to a
 * collector on loopback; the other with none of these. They are measured in turns, under the same conditions. The median of the ratios
 * counts.
 */
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
  },
})
const KEY = 'bench-admin-key-0123456789'
/** The share of the throughput that must remain with observability on. */
const GOAL = 0.9
const SCRAPE_EVERY_MS = 1_000

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const dir = resolve('.data/bench/observability')
mkdirSync(dir, { recursive: true })
const database = await startPostgres(join(dir, 'postgres'), { synchronous_commit: 'off' })
const started: BenchServer[] = []
/** The collector runs in its own process, so that the service does not pay for receiving. */
const collectorPort = await findFreePort()

const startService = async (env: Record<string, string>): Promise<number> => {
  const port = await findFreePort()
  const service = await startServer(['bun', 'src/main.ts', 'api'], {
    env: {
      DATABASE_URL: database.url,
      MEILI_URL: 'http://127.0.0.1:9',
      DATA_DIR: join(dir, 'service'),
      PORT: String(port),
      HOST: '127.0.0.1',
      SERVICE_API_KEYS: JSON.stringify({ [KEY]: { capabilities: ['admin'] } }),
      ...env,
    },
    ready: 'Ready',
  })
  started.push(service)
  return port
}

try {
  await migrate(database.url)
  const sql = connectDatabase(database.url, { max: 2 })
  await seedSampleCounty(sql, { parcels: 20_000, entities: 100 })
  await sql`vacuum analyze parcels`
  const rows = await sql<{ id: string }[]>`select source_parcel_id as id from parcels order by md5(id::text) limit 1000`
  const shots = rows.map(({ id }) => ({ path: `/v1/parcels/sample-county/${id}`, headers: { 'x-service-key': KEY } }))
  const measure = async (port: number, seconds: number): Promise<number> =>
    (await fire(port, shots, { connections: Number(values.connections), seconds })).perSecond
  await sql.end()

  started.push(
    Bun.spawn([
      'bun',
      '-e',
      `Bun.serve({ port: ${collectorPort}, hostname: '127.0.0.1', fetch: async (request) => { await request.bytes(); return Response.json({}) } })`,
    ]),
  )
  const metricsPort = await findFreePort()
  const without = await startService({ LOG_LEVEL: 'silent' })
  const withAll = await startService({
    LOG_LEVEL: 'info',
    METRICS_PORT: String(metricsPort),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
  })
  const scraping = setInterval(
    () => void fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => {}),
    SCRAPE_EVERY_MS,
  )
  for (const port of [without, withAll]) await measure(port, 2)
  const rounds: [off: number, on: number][] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    // Alternate which of the two goes first.
    const order = round % 2 === 0 ? [without, withAll] : [withAll, without]
    const rates = new Map<number, number>()
    for (const port of order) rates.set(port, await measure(port, Number(values.seconds)))
    rounds.push([rates.get(without) ?? 0, rates.get(withAll) ?? 0])
  }
  clearInterval(scraping)
  const ratio = median(rounds.map(([off, on]) => on / off))
  const [off, on] = [median(rounds.map(([off]) => off)), median(rounds.map(([, on]) => on))]
  console.log(`\n${values.connections} connections, ${values.rounds} rounds of ${values.seconds} s each in turns\n`)
  console.log('| | req/s |\n|---|---|')
  console.log(`| without logs, metrics, traces | ${off.toFixed(0)} |\n| with all of them | ${on.toFixed(0)} |`)
  console.log(
    `\nratio ${ratio.toFixed(3)}, goal ≥ ${GOAL}; rounds ${rounds.map(([a, b]) => (b / a).toFixed(2)).join(' ')}`,
  )
  report({
    bench: 'observability',
    title: 'one parcel with logs, metrics and traces, against without',
    measured: `${on.toFixed(0)} req/s (${ratio.toFixed(2)})`,
    rival: `${off.toFixed(0)} req/s`,
    goal: atLeast(Number(ratio.toFixed(3)), GOAL),
  })
  if (ratio < GOAL) process.exitCode = 1
} finally {
  for (const child of started) child.kill()
  await Promise.all(started.map(({ exited }) => exited))
  await database.stop()
}
process.exit()
