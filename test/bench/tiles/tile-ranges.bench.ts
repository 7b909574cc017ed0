import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { findFreePort } from '../../../src/embedded/child'
import { startPostgres } from '../../../src/embedded/postgres'
import { atLeast, report } from '../report'

/*
 * `bun run bench tile-ranges`: 64 clients read ranges of one archive from the service and from a floor (tile-ranges-floor.ts: bare
 * Bun.serve and slices of the same file). Each is one process; they are measured in turns. Client and server share the machine, so the
 * ratio is the figure that counts. The client is wrk if installed, else autocannon in this process.
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
const started: { kill: () => void }[] = []

const start = async (command: string[], env: Record<string, string>, ready: string): Promise<void> => {
  const child = Bun.spawn(command, {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, ...env } as Record<string, string>,
  })
  started.push(child)
  const reader = child.stdout.getReader()
  let text = ''
  while (!text.includes(ready)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`${command.join(' ')} ended: ${text}`)
    text += new TextDecoder().decode(value)
  }
  reader.releaseLock()
}

const drawRange = (leastBytes: number, mostBytes: number): string => {
  const length = Math.floor(leastBytes + Math.random() * (mostBytes - leastBytes + 1))
  const first = Math.floor(Math.random() * (archiveBytes - length))
  return `bytes=${first}-${first + length - 1}`
}

type Fire = (url: string, leastBytes: number, mostBytes: number, seconds: number) => Promise<number>

/** Responses per second. */
const fireWrk: Fire = async (url, leastBytes, mostBytes, seconds) => {
  const script = join(dir, 'ranges.lua')
  writeFileSync(
    script,
    `math.randomseed(7)
request = function()
  local length = math.random(${leastBytes}, ${mostBytes})
  local first = math.random(0, ${archiveBytes} - length)
  return wrk.format('GET', nil, { Range = 'bytes=' .. first .. '-' .. (first + length - 1) })
end`,
  )
  const command = ['wrk', '-t1', `-c${values.connections}`, `-d${seconds}`, '-s', script, url]
  const wrk = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const report = await new Response(wrk.stdout).text()
  const perSecond = /Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]
  if (perSecond === undefined || /Non-2xx|Socket errors/.test(report)) throw new Error(`wrk: ${report}`)
  return Number(perSecond)
}

const fireAutocannon: Fire = async (url, leastBytes, mostBytes, seconds) => {
  const requests = Array.from({ length: 5_000 }, () => ({ headers: { range: drawRange(leastBytes, mostBytes) } }))
  const result = await autocannon({ url, connections: Number(values.connections), duration: seconds, requests })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} not 2xx, ${result.errors} failed`)
  return result.requests.average
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

const fire = Bun.which('wrk') === null ? fireAutocannon : fireWrk
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
  await start(
    ['bun', 'src/main.ts', 'api'],
    {
      DATABASE_URL: database.url,
      MEILI_URL: 'http://127.0.0.1:9',
      DATA_DIR: dir,
      PORT: String(servicePort),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      SERVICE_API_KEYS: '{"bench-admin-key-0123456789":{"capabilities":["admin"]}}',
    },
    'Ready',
  )
  await start(['bun', 'test/bench/compared/tile-ranges-floor.ts', archive, String(floorPort)], {}, 'ready')
  const floor = `http://127.0.0.1:${floorPort}/`
  const service = `http://127.0.0.1:${servicePort}/tiles/parcels/${hash}.pmtiles`
  await checkBytes(floor, bytes)
  await checkBytes(service, bytes)

  console.log(
    `\n${values.megabytes} MB, ${values.connections} clients (${fire === fireWrk ? 'wrk' : 'autocannon'}), ${values.rounds} rounds of ${values.seconds} s each in turns\n`,
  )
  console.log('| ranges | floor req/s | service req/s | ratio | goal |')
  console.log('|---|---|---|---|---|')
  for (const [label, leastBytes, mostBytes] of CASES) {
    for (const url of [floor, service]) await fire(url, leastBytes, mostBytes, 1)
    const rounds: [number, number][] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      rounds.push([
        await fire(floor, leastBytes, mostBytes, Number(values.seconds)),
        await fire(service, leastBytes, mostBytes, Number(values.seconds)),
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
