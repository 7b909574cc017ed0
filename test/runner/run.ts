import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { rememberDescendants } from './descendants'
import { watchIdleShare } from './idle-share'
import { SERVERS_VARIABLE, startTestServers } from './test-servers'

/*
 * `bun run test [--jobs N] [--record] [PATTERN ...]`: runs each test file in a separate process, several at a time, against one
 * PostgreSQL and one Meilisearch. A pattern is part of a file's path. The slowest files start first; `--record` stores their times.
 * Many files mostly wait: for time limits, leases and retries. So while the processors are idle, more files start; `--jobs` fixes the number.
 */

/** A test file that runs longer than this hangs, and its process is killed. */
const FILE_TIMEOUT_MS = 600_000
const TIMES_FILE = join(import.meta.dirname, 'times.json')
/** How often the runner looks for the processes that a test file has started. */
const LOOK_EVERY_MS = 2_000
/** Each file's processes need up to 1 GB. */
const FILES_PER_PROCESSOR = 4
/** One more file runs when a larger share of processor time was idle, one fewer when a smaller share was. */
const IDLE_SHARE = { least: 0.02, most: 0.12 }
const LOOK_AT_IDLE_EVERY_MS = 1_500
/** The order of files that take less than this does not matter. */
const RECORDED_FROM_SECONDS = 5

interface Outcome {
  file: string
  exitCode: number
  output: string
  seconds: number
  /** Processor time of the file's process and its children, without the shared servers. */
  cpuSeconds: number
}

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string' }, record: { type: 'boolean' } },
})
const processors = availableParallelism()
const fewest = Number(options.jobs ?? processors + 1)
const most = Number(options.jobs ?? processors * FILES_PER_PROCESSOR)

const recorded: Record<string, number> = existsSync(TIMES_FILE) ? JSON.parse(readFileSync(TIMES_FILE, 'utf8')) : {}
const files = [...new Bun.Glob('test/**/*.test.{ts,tsx}').scanSync('.')]
  .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  .sort((one, other) => (recorded[other] ?? 0) - (recorded[one] ?? 0) || one.localeCompare(other))
if (files.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`)

const startedAt = performance.now()
const tempDir = mkdtempSync(join(tmpdir(), 'tests-'))
makeOpenToAll(tempDir)
const servers = await startTestServers()
const running = new Set<Bun.Subprocess>()

const stop = async () => {
  for (const child of running) child.kill('SIGKILL')
  killByFolder(tempDir)
  await servers.stop()
  rmSync(tempDir, { recursive: true, force: true })
}
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => void stop().finally(() => process.exit(exitCode)))
}

const runFile = async (file: string): Promise<Outcome> => {
  // Identifies the file's processes, and contains the files that they leave behind.
  const fileDir = mkdtempSync(join(tempDir, 'file-'))
  makeOpenToAll(fileDir)
  const began = performance.now()
  const child = Bun.spawn(['sh', '-c', 'exec bun test "$0" 2>&1', `./${file}`], {
    stdin: 'ignore',
    stdout: 'pipe',
    timeout: FILE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, TMPDIR: fileDir, [SERVERS_VARIABLE]: JSON.stringify(servers.addresses) },
  })
  running.add(child)
  const descendants = rememberDescendants(child.pid)
  const looking = setInterval(descendants.look, LOOK_EVERY_MS)
  const reading = new Response(child.stdout).text()
  const exitCode = await child.exited
  clearInterval(looking)
  running.delete(child)
  // Also ends the output: a process that is left behind keeps it open.
  descendants.kill()
  killByFolder(fileDir)
  const output = await reading
  rmSync(fileDir, { recursive: true, force: true })
  const { user, system } = child.resourceUsage()?.cpuTime ?? { user: 0n, system: 0n }
  const seconds = (performance.now() - began) / 1_000
  return { file, exitCode, output, seconds, cpuSeconds: Number(BigInt(user) + BigInt(system)) / 1e6 }
}

/** Gives a folder the rights of /tmp: a test run by root starts Chromium as another user, with the same TMPDIR. */
function makeOpenToAll(dir: string): void {
  chmodSync(dir, 0o1777)
}

/** Kills the processes whose environment names the folder. This includes those that started and lost their parent between two looks. */
function killByFolder(dir: string): void {
  if (process.platform !== 'linux') return
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`TMPDIR=${dir}`)) process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}

const outcomes: Outcome[] = []
const waiting = [...files]
let atOnce = 0
let mostAtOnce = 0
/** How many files should run. It follows the idle share of the processors. */
let wanted = fewest
/** Runs the waiting files one after the other, until there is none or enough others run. */
const runWaiting = async (): Promise<void> => {
  atOnce++
  mostAtOnce = Math.max(mostAtOnce, atOnce)
  for (let file = waiting.shift(); file !== undefined; file = atOnce > wanted ? undefined : waiting.shift()) {
    const outcome = await runFile(file)
    outcomes.push(outcome)
    const { exitCode, seconds, cpuSeconds } = outcome
    const position = `${outcomes.length}/${files.length}`.padStart(7)
    console.log(
      `${position} ${exitCode === 0 ? 'pass' : 'FAIL'} ${seconds.toFixed(1).padStart(6)} s, CPU ${cpuSeconds.toFixed(1).padStart(5)} s  ${file}`,
    )
  }
  atOnce--
}
const lines = Array.from({ length: fewest }, runWaiting)
const idleShare = watchIdleShare()
while (waiting.length > 0) {
  await Bun.sleep(LOOK_AT_IDLE_EVERY_MS)
  const idle = idleShare()
  if (idle > IDLE_SHARE.most && wanted < most) wanted++
  else if (idle < IDLE_SHARE.least && wanted > fewest) wanted--
  while (atOnce < wanted && waiting.length > 0) lines.push(runWaiting())
}
await Promise.all(lines)
await stop()

const failed = outcomes.filter(({ exitCode }) => exitCode !== 0)
for (const { file, exitCode, output } of failed) {
  console.log(`\n--- ${file} (code ${exitCode})\n${output.replaceAll(/^\(pass\).*\n/gm, '').trim()}`)
}

/** Adds up the lines in which `bun test` counts tests, such as " 12 pass". */
const count = (what: 'pass' | 'fail' | 'skip'): number =>
  outcomes.reduce((sum, { output }) => sum + Number(new RegExp(`^ (\\d+) ${what}$`, 'm').exec(output)?.[1] ?? 0), 0)
const cpuSeconds = outcomes.reduce((sum, outcome) => sum + outcome.cpuSeconds, 0)
console.log(
  `\n${files.length} files: ${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped` +
    ` in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s (CPU ${cpuSeconds.toFixed(0)} s, up to ${mostAtOnce} at a time)`,
)
for (const { file } of failed) console.log(`FAIL ${file}`)

if (options.record === true) {
  const times = outcomes
    .filter(({ seconds }) => seconds >= RECORDED_FROM_SECONDS)
    .sort((one, other) => other.seconds - one.seconds)
    .map(({ file, seconds }) => [file, Math.round(seconds)])
  writeFileSync(TIMES_FILE, `${JSON.stringify(Object.fromEntries(times), null, 2)}\n`)
}
process.exit(failed.length === 0 ? 0 : 1)
