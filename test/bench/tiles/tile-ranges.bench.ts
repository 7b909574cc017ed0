import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findFreePort } from '../../../src/operations/embedded/child'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { atLeast, report } from '../report'
import { type BenchServer, startServer } from '../start-server'
import { fire, type Shot } from '../wrk'

/*
 * `bun run bench tile-ranges`: 64 clients read ranges of one archive from the service and from a floor (tile-ranges-floor.ts: bare
 * Bun.serve and slices of the same file). Each is one process; they are measured in turns. Client and server share the machine, so the
 * ratio is the figure that counts.
 */
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    megabytes: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
  },
})
const archiveBytes = Number(values.megabytes) * 1024 * 1024
const GOAL = 0.8
/** Tiles of a county have a few KB in rural areas and tens of KB in towns. Directories and merged reads are larger. */
const CASES: [label: string, leastBytes: number, mostBytes: number][] = [
  ['2 to 32 KB, like tiles', 2_048, 32_768],
  ['16 KB', 16_384, 16_384],
  ['128 KB', 131_072, 131_072],
]

const dir = mkdtempSync(join(tmpdir(), 'bench-tile-ranges-'))
const started: BenchServer[] = []

const drawRange = (leastBytes: number, mostBytes: number): string => {
  const length = Math.floor(leastBytes + Math.random() * (mostBytes - leastBytes + 1))
  const first = Math.floor(Math.random() * (archiveBytes - length))
  return `bytes=${first}-${first + length - 1}`
}

/** Responses per second. */
const measure = async (url: string, ranges: readonly string[], seconds: number): Promise<number> => {
  const { port, pathname } = new URL(url)
  const shots = ranges.map((range): Shot => ({ path: pathname, headers: { Range: range } }))
  return (await fire(Number(port), shots, { connections: Number(values.connections), seconds })).perSecond
}

/** Checks that a server returns the right bytes: a fast wrong response must not count. */
const checkBytes = async (url: string, bytes: Uint8Array): Promise<void> => {
  const response = await fetch(url, { headers: { range: 'bytes=12345-23456' } })
  const answer = await response.bytes()
  if (response.status !== 206 || !Buffer.from(answer).equals(bytes.subarray(12_345, 23_457))) {
    throw new Error(`${url} answers ${response.status} with ${answer.length} bytes that differ from the archive`)
  }
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

mkdirSync(join(dir, 'tiles', 'parcels'), { recursive: true })
const bytes = new Uint8Array(archiveBytes)
for (let offset = 0; offset < archiveBytes; offset += 65_536)
  crypto.getRandomValues(bytes.subarray(offset, offset + 65_536))
const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16)
const archive = join(dir, 'tiles', 'parcels', `${hash}.pmtiles`)
writeFileSync(archive, bytes)

const database = await startPostgres(join(dir, 'postgres'))
let failed = false
try {
  const [servicePort, floorPort] = [await findFreePort(), await findFreePort()]
  started.push(
    await startServer(['bun', 'src/main.ts', 'api'], {
      env: {
        DATABASE_URL: database.url,
        MEILI_URL: 'http://127.0.0.1:9',
        DATA_DIR: dir,
        PORT: String(servicePort),
        HOST: '127.0.0.1',
        LOG_LEVEL: 'error',
        SERVICE_API_KEYS: '{"bench-admin-key-0123456789":{"capabilities":["admin"]}}',
      },
      ready: 'Ready',
    }),
    await startServer(['bun', 'test/bench/compared/tile-ranges-floor.ts', archive, String(floorPort)], {
      ready: 'ready',
    }),
  )
  const floor = `http://127.0.0.1:${floorPort}/`
  const service = `http://127.0.0.1:${servicePort}/tiles/parcels/${hash}.pmtiles`
  await checkBytes(floor, bytes)
  await checkBytes(service, bytes)

  console.log(
    `\n${values.megabytes} MB, ${values.connections} clients, ${values.rounds} rounds of ${values.seconds} s each in turns\n`,
  )
  console.log('| ranges | floor req/s | service req/s | ratio | goal |')
  console.log('|---|---|---|---|---|')
  for (const [label, leastBytes, mostBytes] of CASES) {
    const ranges = Array.from({ length: 5_000 }, () => drawRange(leastBytes, mostBytes))
    for (const url of [floor, service]) await measure(url, ranges, 1)
    const rounds: [number, number][] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      rounds.push([
        await measure(floor, ranges, Number(values.seconds)),
        await measure(service, ranges, Number(values.seconds)),
      ])
    }
    const ratio = median(rounds.map(([bare, served]) => served / bare))
    failed ||= ratio < GOAL
    const cells = [
      label,
      median(rounds.map(([bare]) => bare)).toFixed(0),
      median(rounds.map(([, served]) => served)).toFixed(0),
      ratio.toFixed(2),
      `≥ ${GOAL}`,
    ]
    console.log(`| ${cells.join(' | ')} |`)
    report({
      bench: 'tile-ranges',
      title: `ranges of ${label}`,
      measured: `${cells[2]} req/s (${ratio.toFixed(2)})`,
      rival: `${cells[1]} req/s`,
      goal: atLeast(ratio, GOAL),
    })
  }
} finally {
  for (const child of started) child.kill()
  await database.stop()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
