import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase } from '../../../core/postgres/database'
import { findFreePort } from '../../../src/operations/embedded/child'
import { issueKey } from '../../../src/people/issue-key'
import { processorMs } from '../processor-time'
import { atMost, type Goal, report } from '../report'
import { drawBoxes, openSampleDatabase } from '../sample-database'
import { type BenchServer, startServer } from '../start-server'
import { fire, type Shot } from '../wrk'

/*
 * `bun run bench api`: compares the service with a floor (api-floor.ts) on the same database. Each is one process; they are measured in
 * turns. The sample county is made once and kept in .data/bench. Client, service and database share the machine, so the processor time of
 * each server process for a request is the figure that counts.
 */
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    parcels: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    /** Seconds of load before the first round. The service's code for boxes is compiled to its fastest form in about ten. */
    'warm-up': { type: 'string', default: '10' },
  },
})
const parcels = Number(values.parcels)

const ADMIN_KEY = 'bench-admin-key-0123456789'
const READ_KEY = 'bench-read-key-0123456789'
const started: BenchServer[] = []

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** One server in one case. */
interface Measure {
  perSecond: number
  p50: number
  p99: number
  /** Processor time of the server process for a request, in µs. */
  processorUs: number
}

const measure = async (server: BenchServer, port: number, shots: Shot[], seconds: number): Promise<Measure> => {
  const before = processorMs(server.pid)
  const { requests, ...throughput } = await fire(port, shots, { connections: Number(values.connections), seconds })
  return { ...throughput, processorUs: ((processorMs(server.pid) - before) * 1_000) / requests }
}

interface Case {
  label: string
  /** The floor's case (api-floor.ts). */
  floor: string
  paths: string[]
  key: string | null
  /** How much more processor time than the floor the service may take. */
  goal: { mostUsMore: number } | { mostTimes: number } | null
}

const judge = (goal: Case['goal'], bare: number, service: number): Goal | null => {
  if (goal === null) return null
  return 'mostUsMore' in goal
    ? atMost(Math.round(service - bare), goal.mostUsMore, 'µs more')
    : atMost(Number((service / bare).toFixed(2)), goal.mostTimes, '×')
}

const database = await openSampleDatabase('.data/bench', { parcels, entities: Math.round(parcels / 16) })
try {
  const sql = connectDatabase(database.url, { max: 2 })
  const { key: userKey } = await issueKey(sql, { name: 'bench', capabilities: [] })
  const ids = await sql<{ source: string; id: string }[]>`
    select source, source_parcel_id as id from parcels tablesample system (0.2) repeatable (7) limit 2000`
  const parcelPaths = ids.map(({ source, id }) => `/v1/parcels/${source}/${encodeURIComponent(id)}`)
  const boxPaths = (await drawBoxes(sql, { wanted: 500, count: 50 })).map((box) => `/v1/parcels?bbox=${box}&limit=1000`)

  const servicePort = await findFreePort()
  const service = await startServer(['bun', 'src/main.ts', 'api'], {
    env: {
      DATABASE_URL: database.url,
      DATA_DIR: resolve('.data/bench/service'),
      PORT: String(servicePort),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      SERVICE_API_KEYS: JSON.stringify({
        [ADMIN_KEY]: { capabilities: ['admin'] },
        [READ_KEY]: { capabilities: ['read'] },
      }),
    },
    ready: 'Ready',
  })
  started.push(service)

  const cases: Case[] = [
    {
      label: 'one parcel, bootstrap key',
      floor: 'parcel',
      paths: parcelPaths,
      key: READ_KEY,
      goal: { mostUsMore: 15 },
    },
    { label: 'one parcel, admin key (Server-Timing)', floor: 'parcel', paths: parcelPaths, key: ADMIN_KEY, goal: null },
    { label: 'one parcel, user key', floor: 'parcel', paths: parcelPaths, key: userKey, goal: { mostUsMore: 25 } },
    { label: 'box of about 500', floor: 'box', paths: boxPaths, key: READ_KEY, goal: { mostTimes: 1.1 } },
    { label: 'health', floor: 'health', paths: ['/health'], key: null, goal: null },
  ]
  const seconds = Number(values.seconds)
  console.log(
    `\n${parcels} parcels, ${values.connections} connections, ${values.rounds} rounds of ${seconds} s each in turns\n`,
  )
  console.log(
    '| case | floor req/s | p50 ms | p99 ms | µs of CPU | service req/s | p50 ms | p99 ms | µs of CPU | req/s, ratio | goal |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|---|')
  for (const { label, floor, paths, key, goal } of cases) {
    const floorPort = await findFreePort()
    const bare = await startServer(
      ['bun', 'test/bench/compared/api-floor.ts', floor, database.url, String(floorPort)],
      { ready: 'ready' },
    )
    started.push(bare)
    const shots = paths.map((path) => ({ path, headers: key === null ? {} : { 'x-service-key': key } }))
    const round = async (lasts: number) => ({
      bare: await measure(bare, floorPort, shots, lasts),
      service: await measure(service, servicePort, shots, lasts),
    })
    await round(Number(values['warm-up']))
    const rounds: Awaited<ReturnType<typeof round>>[] = []
    for (let count = 0; count < Number(values.rounds); count++) rounds.push(await round(seconds))
    const middle = (side: 'bare' | 'service', name: keyof Measure) => median(rounds.map((pair) => pair[side][name]))
    const columns = (side: 'bare' | 'service') => [
      middle(side, 'perSecond').toFixed(0),
      middle(side, 'p50').toFixed(1),
      middle(side, 'p99').toFixed(1),
      middle(side, 'processorUs').toFixed(0),
    ]
    const ratio = median(rounds.map((pair) => pair.service.perSecond / pair.bare.perSecond)).toFixed(2)
    const verdict = judge(goal, middle('bare', 'processorUs'), middle('service', 'processorUs'))
    console.log(
      `| ${[label, ...columns('bare'), ...columns('service'), ratio, verdict === null ? '' : `${verdict.text}: ${verdict.met ? 'met' : 'missed'}`].join(' | ')} |`,
    )
    report({
      bench: 'api',
      title: `${label}, ${parcels} parcels`,
      measured: `${middle('service', 'processorUs').toFixed(0)} µs of CPU (${ratio} of the floor's req/s)`,
      rival: `${middle('bare', 'processorUs').toFixed(0)} µs`,
      goal: verdict,
    })
    started.pop()?.kill()
  }
  await sql.end()
} finally {
  for (const child of started) child.kill()
  await database.stop()
}
process.exit(0)
