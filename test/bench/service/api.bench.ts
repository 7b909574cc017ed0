import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { migrate } from '../../../drizzle/migrate'
import { createProgress } from '../../../src/cli/terminal/progress'
import { findFreePort } from '../../../src/embedded/child'
import { startPostgres } from '../../../src/embedded/postgres'
import { issueKey } from '../../../src/people/issue-key'
import { atLeast, report } from '../report'

/*
 * `bun run bench api`: compares the service with a floor (api-floor.ts) on the same database. Each is one process; they are measured in
 * turns. The sample county is made once and kept in .data/bench. Client, service and database share the machine, so the ratio is the
 * figure that counts.
 */
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    parcels: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
  },
})
const parcels = Number(values.parcels)

const ADMIN_KEY = 'bench-admin-key-0123456789'
const started: { kill: () => void }[] = []

const openDatabase = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const dir = resolve('.data/bench')
  mkdirSync(dir, { recursive: true })
  const fresh = !existsSync(join(dir, 'postgres'))
  const server = await startPostgres(join(dir, 'postgres'), { shared_buffers: '2GB', synchronous_commit: 'off' })
  await migrate(server.url)
  const sql = connectDatabase(server.url, { max: 4 })
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from parcels`
  if (fresh || (row?.n ?? 0) < parcels) {
    using progress = createProgress('sample parcels', parcels)
    await seedSampleCounty(sql, { parcels, entities: Math.round(parcels / 16), onProgress: progress.update })
    progress.finish(`${parcels} sample parcels`)
    await sql`vacuum analyze`
  }
  await sql.end()
  return server
}

const start = async (
  command: string[],
  env: Record<string, string>,
  ready: (line: string) => boolean,
): Promise<void> => {
  const child = Bun.spawn(command, {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, ...env } as Record<string, string>,
  })
  started.push(child)
  const reader = child.stdout.getReader()
  let text = ''
  while (!ready(text)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`${command.join(' ')} ended: ${text}`)
    text += new TextDecoder().decode(value)
  }
  reader.releaseLock()
}

interface Measure {
  perSecond: number
  p50: number
  p99: number
}

const fire = async (port: number, paths: string[], key: string | null, seconds: number): Promise<Measure> => {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: Number(values.connections),
    duration: seconds,
    requests: paths.map((path) => ({ method: 'GET' as const, path })),
    ...(key === null ? {} : { headers: { 'x-service-key': key } }),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were not 200, ${result.errors} requests failed`)
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 }
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** Boxes with about 500 parcels each, around random parcels. */
const drawBoxes = async (sql: Sql): Promise<string[]> => {
  const centres = await sql<{ x: number; y: number }[]>`
    select (center(bbox))[0] as x, (center(bbox))[1] as y from parcels tablesample system (0.05) repeatable (7) limit 2000`
  const boxes: string[] = []
  for (const { x, y } of centres) {
    let [low, high] = [0, 0.2]
    for (let step = 0; step < 12; step++) {
      const half = (low + high) / 2
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from (
        select from parcels where bbox && box(point(${x - half}, ${y - half}), point(${x + half}, ${y + half})) limit 1000) t`
      if ((row?.n ?? 0) < 500) low = half
      else high = half
    }
    boxes.push([x - high, y - high, x + high, y + high].map((degrees) => degrees.toFixed(6)).join(','))
    if (boxes.length === 50) break
  }
  return boxes
}

const database = await openDatabase()
try {
  const sql = connectDatabase(database.url, { max: 2 })
  const { key: userKey } = await issueKey(sql, { name: 'bench', capabilities: [] })
  const ids = await sql<{ source: string; id: string }[]>`
    select source, source_parcel_id as id from parcels tablesample system (0.2) repeatable (7) limit 2000`
  const parcelPaths = ids.map(({ source, id }) => `/v1/parcels/${source}/${encodeURIComponent(id)}`)
  const boxPaths = (await drawBoxes(sql)).map((box) => `/v1/parcels?bbox=${box}&limit=1000`)

  const servicePort = await findFreePort()
  await start(
    ['bun', 'src/main.ts', 'api'],
    {
      DATABASE_URL: database.url,
      DATA_DIR: resolve('.data/bench/service'),
      PORT: String(servicePort),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      SERVICE_API_KEYS: JSON.stringify({ [ADMIN_KEY]: { capabilities: ['admin'] } }),
    },
    (text) => text.includes('Ready'),
  )

  const cases: [label: string, floor: string, paths: string[], key: string | null, goal: number][] = [
    ['one parcel, bootstrap key', 'parcel', parcelPaths, ADMIN_KEY, 0.7],
    ['one parcel, end-user key', 'parcel', parcelPaths, userKey, 0.45],
    ['box of about 500, bootstrap key', 'box', boxPaths, ADMIN_KEY, 0.85],
    ['health', 'health', ['/health'], null, 0],
  ]
  console.log(
    `\n${parcels} parcels, ${values.connections} connections, ${values.rounds} rounds of ${values.seconds} s each in turns\n`,
  )
  console.log('| case | floor req/s | p50 ms | p99 ms | service req/s | p50 ms | p99 ms | ratio | goal |')
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (const [label, floor, paths, key, goal] of cases) {
    const floorPort = await findFreePort()
    await start(['bun', 'test/bench/compared/api-floor.ts', floor, database.url, String(floorPort)], {}, (text) =>
      text.includes('ready'),
    )
    await Promise.all([fire(floorPort, paths, null, 2), fire(servicePort, paths, key, 2)])
    const rounds: [Measure, Measure][] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      rounds.push([
        await fire(floorPort, paths, null, Number(values.seconds)),
        await fire(servicePort, paths, key, Number(values.seconds)),
      ])
    }
    const column = (side: 0 | 1, name: keyof Measure) => median(rounds.map((pair) => pair[side][name]))
    const ratio = median(rounds.map(([bare, service]) => service.perSecond / bare.perSecond))
    const cells = [
      label,
      column(0, 'perSecond').toFixed(0),
      column(0, 'p50'),
      column(0, 'p99'),
      column(1, 'perSecond').toFixed(0),
      column(1, 'p50'),
      column(1, 'p99'),
      ratio.toFixed(2),
      goal === 0 ? '' : `≥ ${goal}`,
    ]
    console.log(`| ${cells.join(' | ')} |`)
    report({
      bench: 'api',
      title: `${label}, ${parcels} parcels`,
      measured: `${column(1, 'perSecond').toFixed(0)} req/s (${ratio.toFixed(2)})`,
      rival: `${column(0, 'perSecond').toFixed(0)} req/s`,
      goal: goal === 0 ? null : atLeast(Number(ratio.toFixed(2)), goal),
    })
    started.pop()?.kill()
  }
  await sql.end()
} finally {
  for (const child of started) child.kill()
  await database.stop()
}
process.exit(0)
