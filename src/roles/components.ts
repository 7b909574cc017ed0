import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../core/error-code'
import { lockDataDir, unusableDataDir } from '../../core/files/data-dir'
import { ServiceError } from '../../core/service-error'
import type { Meilisearches } from '../../search/index/instances'
import type { Config } from '../config'
import { startMeilisearch } from '../operations/embedded/meilisearch'
import { startPostgres } from '../operations/embedded/postgres'

/** The servers that the service uses: those of the environment, or embedded ones. */
export interface Components {
  databaseUrl: string
  /** Null: not available for this platform, and PostgreSQL answers searches. */
  meili: Meilisearches | null
  /** Resolves with the server's name if an embedded one exits by itself. Otherwise stays pending. */
  failed: Promise<string>
  stop: () => Promise<void>
}

/** Tells commands how to reach the embedded servers of a running service. Only its owner can read it, because it contains secrets. */
const ADDRESSES = 'addresses.json'
const POSTGRES_DIR = 'postgres'

/**
 * Starts the servers that the environment does not set, and prints a line for each through `say`. `needsSearch: false`: if the database is
 * external, Meilisearch is not started.
 *
 * @throws ServiceError `data_dir_in_use`, `embedded_failed`
 */
export const startComponents = async (
  config: Config,
  say: (line: string) => void,
  { needsSearch = true } = {},
): Promise<Components> => {
  const given = {
    database: config.databaseUrl,
    meili: config.meili,
  }
  if (given.database !== null && (given.meili !== null || !needsSearch)) {
    return { databaseUrl: given.database, meili: given.meili, failed: new Promise(() => {}), stop: async () => {} }
  }

  const lock = lockDataDir(config.dataDir, process.argv.slice(1).join(' '))
  const stops: (() => Promise<void>)[] = []
  const failures: Promise<string>[] = []
  const stop = async () => {
    rmSync(join(config.dataDir, ADDRESSES), { force: true })
    await Promise.all(stops.splice(0).map((stopOne) => stopOne()))
    lock.release()
  }
  const startDatabase = async (): Promise<string> => {
    if (given.database !== null) return given.database
    const server = await startPostgres(join(config.dataDir, POSTGRES_DIR), {}, say)
    stops.push(server.stop)
    failures.push(server.exited)
    say(`PostgreSQL 18, embedded, on 127.0.0.1:${server.port}`)
    return server.url
  }
  const startSearch = async (): Promise<Components['meili']> => {
    if (given.meili !== null) return given.meili
    const server = await startMeilisearch(join(config.dataDir, 'meilisearch'), {
      ...(config.meiliBinary !== null && { binary: config.meiliBinary }),
      onDiscard: () => say('the search index is from another Meilisearch version or damaged: it will be rebuilt'),
    })
    if (server === null) {
      say(
        `no Meilisearch for ${process.platform}-${process.arch}: PostgreSQL (pg_trgm) answers searches. Set MEILI_URL to use a server`,
      )
      return null
    }
    stops.push(server.stop)
    failures.push(server.exited)
    say(`Meilisearch, embedded, on ${server.url.slice('http://'.length)}`)
    return { url: server.url, masterKey: server.masterKey }
  }

  const [database, search] = await Promise.allSettled([startDatabase(), startSearch()])
  const failure = [database, search].find((outcome) => outcome.status === 'rejected')
  if (failure !== undefined || database.status === 'rejected' || search.status === 'rejected') {
    await stop()
    throw isOfDisk(failure?.reason) ? unusableDataDir(config.dataDir, failure?.reason) : failure?.reason
  }
  try {
    const addresses = JSON.stringify({ databaseUrl: database.value, meili: search.value })
    writeFileSync(join(config.dataDir, ADDRESSES), addresses, { mode: 0o600 })
  } catch (error) {
    await stop()
    throw unusableDataDir(config.dataDir, error)
  }
  return {
    databaseUrl: database.value,
    meili: search.value,
    failed: Promise.race([...failures, new Promise<never>(() => {})]),
    stop,
  }
}

/** Whether a file could not be written: the disk is full or read-only, or the file is another user's. */
const isOfDisk = (error: unknown): boolean => hasCode(error, 'ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM')

/**
 * The components for a command: those of a running service with the same data directory, or else components that run for the duration
 * of the command. `needsData`: the command only looks at what a service has stored, so it must not begin an empty database in the wrong
 * directory.
 *
 * @throws ServiceError as `startComponents`; `bad_config` without the data that it needs
 */
export const useComponents = async (
  config: Config,
  say: (line: string) => void,
  { needsData = false } = {},
): Promise<Components> => {
  if (needsData && config.databaseUrl === null && !existsSync(join(config.dataDir, POSTGRES_DIR))) {
    throw new ServiceError(
      'bad_config',
      `${config.dataDir} has no data of a service: set DATA_DIR or DATABASE_URL to that of yours, or start one with \`bun start\``,
    )
  }
  try {
    return await startComponents(config, say)
  } catch (error) {
    const running = join(config.dataDir, ADDRESSES)
    if (!(error instanceof ServiceError) || error.code !== 'data_dir_in_use' || !existsSync(running)) throw error
    const { databaseUrl, meili } = JSON.parse(readFileSync(running, 'utf8')) as Pick<
      Components,
      'databaseUrl' | 'meili'
    >
    return { databaseUrl, meili, failed: new Promise(() => {}), stop: async () => {} }
  }
}
