import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { START_ENVIRONMENT } from '../support/start-environment'
import { listProcesses, rememberDescendants } from './descendants'
import { watchIdleShare } from './idle-share'
import { installTools } from './install-tools'
import { BUNDLE_VARIABLE, bundlePrograms } from './programs'
import { SERVERS_VARIABLE, startTestServers } from './test-servers'

/*
 * `bun run test [--install-tools] [--jobs N] [--record] [PATTERN ...]`: runs the test files in several processes at a time, against one
 * PostgreSQL and one Meilisearch. A pattern is part of a file's path. The files of a folder share processes: loading and compiling the application in a
 * process of its own took a third of a file's processor time. The slowest processes start first; `--record` stores the times of the files that ran.
 * Many files mostly wait: for time limits, leases and retries. So while the processors are idle, more processes start; `--jobs` fixes the number.
 */

/** A process that runs longer than this for each of its files hangs, and is killed. */
const FILE_TIMEOUT_MS = 600_000
const TIMES_FILE = join(import.meta.dirname, 'times.json')
/** How often the runner looks for the processes that a test file has started. */
const LOOK_EVERY_MS = 2_000
/** Each file's processes need up to 1 GB. With more than three, tests that once waited then compete, and limits of a second are missed. */
const MAX_FILES_PER_PROCESSOR = 3
/** One more file runs when a larger share of processor time was idle, one fewer when a smaller share was. */
const IDLE_SHARE = { least: 0.01, most: 0.05 }
const LOOK_AT_IDLE_EVERY_MS = 750
/** How long the files of one process should take together, by the recorded times. Longer, and the last processes would run alone. */
const SECONDS_PER_PROCESS = 180
/** Files that are not recorded yet count as quick. */
const UNRECORDED_SECONDS = 1
/**
 * Test processes are short. With JavaScriptCore's own threshold (100,000) its optimizing compiler took more processor time than it saved:
 * 15 to 20% of the files that parse pages, 8% of those that call the API (November 2026). Functions that stay hot are still compiled.
 */
const COMPILER_SETTINGS = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000' }

interface Outcome {
  /** The test files that the process ran. */
  files: readonly string[]
  /** How long each file took, in ms. Empty if the process was killed. */
  times: Readonly<Record<string, number>>
  exitCode: number
  output: string
  seconds: number
  /** Processor time of the process and its children, without the shared servers. */
  cpuSeconds: number
}

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { 'install-tools': { type: 'boolean' }, jobs: { type: 'string' }, record: { type: 'boolean' } },
})
const processors = availableParallelism()
const fewest = Number(options.jobs ?? processors + 1)
const most = Number(options.jobs ?? processors * MAX_FILES_PER_PROCESSOR)

const recorded: Record<string, number> = existsSync(TIMES_FILE) ? JSON.parse(readFileSync(TIMES_FILE, 'utf8')) : {}
const files = [...new Bun.Glob('test/**/*.test.{ts,tsx}').scanSync('.')]
  .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  .sort((one, other) => secondsOf(other) - secondsOf(one) || one.localeCompare(other))
/** The files of each process, the slowest process first. */
const groups = groupByFolder().sort((one, other) => sumOfSeconds(other) - sumOfSeconds(one))
if (files.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`)

const startedAt = performance.now()
const tempDir = mkdtempSync(join(tmpdir(), 'tests-'))
makeOpenToAll(tempDir)
/** Bundling the programs takes as much processor time as ten starts of the service from source. */
const isWhole = patterns.length === 0
const programsDir = join(tempDir, 'programs')
const starting = startTestServers()
const running = new Set<Bun.Subprocess>()

const outcomes: Outcome[] = []
/** What the failed processes printed, without the tests that passed. */
const printFailures = () => {
  for (const { files, exitCode, output } of outcomes) {
    if (exitCode === 0) continue
    console.log(`\nFAIL (code ${exitCode}) ${files.join(' ')}\n${output.replaceAll(/^\(pass\).*\n/gm, '').trim()}`)
  }
}

let interrupted: Promise<never> | null = null
const stop = async () => {
  for (const child of running) child.kill('SIGKILL')
  killByFolder(tempDir)
  await starting.then((servers) => servers.stop())
  rmSync(tempDir, { recursive: true, force: true })
}
// `bun run check` interrupts the tests when the types or lint fail, perhaps while the servers still start.
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    printFailures()
    interrupted = stop().then(() => process.exit(exitCode))
  })
}

const [servers, , missingTools] = await Promise.all([
  starting,
  isWhole && bundlePrograms(programsDir),
  options['install-tools'] === true ? installTools().catch((error: Error) => error) : undefined,
])
if (missingTools instanceof Error) {
  await stop()
  throw missingTools
}

function secondsOf(file: string): number {
  return recorded[file] ?? UNRECORDED_SECONDS
}

function sumOfSeconds(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + secondsOf(file), 0)
}

/** Files of the same folder of test/, in as few processes as `SECONDS_PER_PROCESS` allows. */
function groupByFolder(): string[][] {
  const folders = Object.groupBy(files, (file) => file.split('/')[1] ?? '')
  return Object.values(folders).flatMap((folder = []) => {
    const processes: string[][] = Array.from(
      { length: Math.ceil(sumOfSeconds(folder) / SECONDS_PER_PROCESS) },
      () => [],
    )
    // The slowest file first, each in the process that has the least to do.
    for (const file of folder)
      processes.toSorted((one, other) => sumOfSeconds(one) - sumOfSeconds(other))[0]?.push(file)
    return processes.filter((group) => group.length > 0)
  })
}

const watched = new Set<ReturnType<typeof rememberDescendants>>()
const lookAtAll = () => {
  const processes = listProcesses()
  for (const descendants of watched) descendants.look(processes)
}

const runFiles = async (files: readonly string[]): Promise<Outcome> => {
  // Identifies the processes of these tests, and contains the files that they leave behind.
  const fileDir = mkdtempSync(join(tempDir, 'file-'))
  makeOpenToAll(fileDir)
  const timesFile = join(fileDir, 'times.json')
  const began = performance.now()
  const child = Bun.spawn(
    [
      'sh',
      '-c',
      'exec bun test "$@" 2>&1',
      'sh',
      `--timings=${timesFile}`,
      '--update-timings',
      ...files.map((file) => `./${file}`),
    ],
    {
      stdin: 'ignore',
      stdout: 'pipe',
      timeout: FILE_TIMEOUT_MS * files.length,
      killSignal: 'SIGKILL',
      env: {
        ...COMPILER_SETTINGS,
        ...START_ENVIRONMENT,
        ...process.env,
        TMPDIR: fileDir,
        ...(isWhole && { [BUNDLE_VARIABLE]: programsDir }),
        [SERVERS_VARIABLE]: JSON.stringify(servers.addresses),
      },
    },
  )
  running.add(child)
  const descendants = rememberDescendants(child.pid)
  watched.add(descendants)
  const reading = new Response(child.stdout).text()
  const exitCode = await child.exited
  watched.delete(descendants)
  running.delete(child)
  // Also ends the output: a process that is left behind keeps it open.
  descendants.signal('SIGKILL')
  killByFolder(fileDir)
  const output = await reading
  const times = existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, 'utf8')).files : {}
  rmSync(fileDir, { recursive: true, force: true })
  const { user, system } = child.resourceUsage()?.cpuTime ?? { user: 0n, system: 0n }
  const seconds = (performance.now() - began) / 1_000
  return { files, times, exitCode, output, seconds, cpuSeconds: Number(BigInt(user) + BigInt(system)) / 1e6 }
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

const waiting = [...groups]
let atOnce = 0
let mostAtOnce = 0
/** How many processes should run. It follows the idle share of the processors. */
let wanted = fewest
/** Runs the waiting groups of files one after the other, until there is none or enough others run. */
const runWaiting = async (): Promise<void> => {
  atOnce++
  mostAtOnce = Math.max(mostAtOnce, atOnce)
  const next = () => (interrupted === null ? waiting.shift() : undefined)
  for (let group = next(); group !== undefined; group = atOnce > wanted ? undefined : next()) {
    const outcome = await runFiles(group)
    outcomes.push(outcome)
    const { exitCode, seconds, cpuSeconds, output } = outcome
    const position = `${outcomes.length}/${groups.length}`.padStart(7)
    console.log(
      `${position} ${exitCode === 0 ? 'pass' : 'FAIL'} ${seconds.toFixed(1).padStart(6)} s, CPU ${cpuSeconds.toFixed(1).padStart(5)} s  ${group.join(' ')}`,
    )
    for (const failed of new Set(output.match(/^\(fail\).*$/gm))) console.log(`${' '.repeat(8)}${failed}`)
  }
  atOnce--
}
const lines = Array.from({ length: fewest }, runWaiting)
const looking = setInterval(lookAtAll, LOOK_EVERY_MS)
const idleShare = watchIdleShare()
while (interrupted === null && waiting.length > 0) {
  await Bun.sleep(LOOK_AT_IDLE_EVERY_MS)
  const idle = idleShare()
  if (idle > IDLE_SHARE.most && wanted < most) wanted++
  else if (idle < IDLE_SHARE.least && wanted > fewest) wanted--
  while (interrupted === null && atOnce < wanted && waiting.length > 0) lines.push(runWaiting())
}
await Promise.all(lines)
clearInterval(looking)
await (interrupted ?? stop())

// Printed at the end, where people look first in a long log.
printFailures()

/** Adds up the lines in which `bun test` counts tests, such as " 12 pass". */
const count = (what: 'pass' | 'fail' | 'skip'): number =>
  outcomes.reduce((sum, { output }) => sum + Number(new RegExp(`^ (\\d+) ${what}$`, 'm').exec(output)?.[1] ?? 0), 0)
const cpuSeconds = outcomes.reduce((sum, outcome) => sum + outcome.cpuSeconds, 0)
console.log(
  `\n${files.length} files: ${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped` +
    ` in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s (CPU ${cpuSeconds.toFixed(0)} s, up to ${mostAtOnce} at a time)`,
)

if (options.record === true) {
  const measured = outcomes.flatMap(({ times }) =>
    Object.entries(times).map(([file, ms]) => [file, Math.round(ms / 1_000)] as const),
  )
  const times = Object.entries({ ...recorded, ...Object.fromEntries(measured) })
    .filter(([file, seconds]) => seconds > UNRECORDED_SECONDS && existsSync(file))
    .sort(([, one], [, other]) => other - one)
  writeFileSync(TIMES_FILE, `${JSON.stringify(Object.fromEntries(times), null, 2)}\n`)
}
process.exit(outcomes.some(({ exitCode }) => exitCode !== 0) ? 1 : 0)
