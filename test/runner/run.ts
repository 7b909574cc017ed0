import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { rememberDescendants } from './descendants'
import { watchIdleShare } from './idle-share'
import { SERVERS_VARIABLE, startTestServers } from './test-servers'

/*
 * `bun run test [--jobs N] [--record] [PATTERN ...]`: runs the test files in several processes at a time, against one PostgreSQL and one
 * Meilisearch. A pattern is part of a file's path. The slowest files start first, each in its own process; `--record` stores their times.
 * Quick files of a folder share a process, because loading the application takes longer than their tests.
 * Many files mostly wait: for time limits, leases and retries. So while the processors are idle, more processes start; `--jobs` fixes the number.
 */

/** A process that runs longer than this hangs, and is killed. */
const FILE_TIMEOUT_MS = 600_000
const TIMES_FILE = join(import.meta.dirname, 'times.json')
/** How often the runner looks for the processes that a test file has started. */
const LOOK_EVERY_MS = 2_000
/** Each file's processes need up to 1 GB. */
const FILES_PER_PROCESSOR = 4
/** One more file runs when a larger share of processor time was idle, one fewer when a smaller share was. */
const IDLE_SHARE = { least: 0.02, most: 0.12 }
const LOOK_AT_IDLE_EVERY_MS = 1_500
/** Files that take less than this are not recorded: their order does not matter, and they share processes. */
const RECORDED_FROM_SECONDS = 5
const MAX_FILES_PER_PROCESS = 10

interface Outcome {
  /** The test files that the process ran. */
  files: readonly string[]
  exitCode: number
  output: string
  seconds: number
  /** Processor time of the process and its children, without the shared servers. */
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
/** The files of each process. */
const groups = options.record === true ? files.map((file) => [file]) : groupQuickFiles()
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

/** Each recorded file alone, then the others, which share processes if they are in the same folder of test/. */
function groupQuickFiles(): string[][] {
  const alone = files.filter((file) => file in recorded)
  const quick = Object.groupBy(
    files.filter((file) => !(file in recorded)),
    (file) => file.split('/')[1] ?? '',
  )
  return [...alone.map((file) => [file]), ...Object.values(quick).flatMap((folder = []) => splitEvenly(folder))]
}

function splitEvenly(folder: readonly string[]): string[][] {
  const processes = Math.ceil(folder.length / MAX_FILES_PER_PROCESS)
  return Array.from({ length: processes }, (_, place) => folder.filter((_, index) => index % processes === place))
}

const runFiles = async (files: readonly string[]): Promise<Outcome> => {
  // Identifies the processes of these tests, and contains the files that they leave behind.
  const fileDir = mkdtempSync(join(tempDir, 'file-'))
  makeOpenToAll(fileDir)
  const began = performance.now()
  const child = Bun.spawn(['sh', '-c', 'exec bun test "$@" 2>&1', 'sh', ...files.map((file) => `./${file}`)], {
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
  return { files, exitCode, output, seconds, cpuSeconds: Number(BigInt(user) + BigInt(system)) / 1e6 }
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
const waiting = [...groups]
let atOnce = 0
let mostAtOnce = 0
/** How many processes should run. It follows the idle share of the processors. */
let wanted = fewest
/** Runs the waiting groups of files one after the other, until there is none or enough others run. */
const runWaiting = async (): Promise<void> => {
  atOnce++
  mostAtOnce = Math.max(mostAtOnce, atOnce)
  for (let group = waiting.shift(); group !== undefined; group = atOnce > wanted ? undefined : waiting.shift()) {
    const outcome = await runFiles(group)
    outcomes.push(outcome)
    const { exitCode, seconds, cpuSeconds } = outcome
    const position = `${outcomes.length}/${groups.length}`.padStart(7)
    console.log(
      `${position} ${exitCode === 0 ? 'pass' : 'FAIL'} ${seconds.toFixed(1).padStart(6)} s, CPU ${cpuSeconds.toFixed(1).padStart(5)} s  ${group.join(' ')}`,
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
for (const { files, exitCode, output } of failed) {
  console.log(`\n--- ${files.join(' ')} (code ${exitCode})\n${output.replaceAll(/^\(pass\).*\n/gm, '').trim()}`)
}

/** Adds up the lines in which `bun test` counts tests, such as " 12 pass". */
const count = (what: 'pass' | 'fail' | 'skip'): number =>
  outcomes.reduce((sum, { output }) => sum + Number(new RegExp(`^ (\\d+) ${what}$`, 'm').exec(output)?.[1] ?? 0), 0)
const cpuSeconds = outcomes.reduce((sum, outcome) => sum + outcome.cpuSeconds, 0)
console.log(
  `\n${files.length} files: ${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped` +
    ` in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s (CPU ${cpuSeconds.toFixed(0)} s, up to ${mostAtOnce} at a time)`,
)
for (const { files } of failed) console.log(`FAIL ${files.join(' ')}`)

if (options.record === true) {
  const times = outcomes
    .filter(({ seconds }) => seconds >= RECORDED_FROM_SECONDS)
    .sort((one, other) => other.seconds - one.seconds)
    .map(({ files: [file], seconds }) => [file, Math.round(seconds)])
  writeFileSync(TIMES_FILE, `${JSON.stringify(Object.fromEntries(times), null, 2)}\n`)
}
process.exit(failed.length === 0 ? 0 : 1)
