import { afterAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { type ServerAddresses, TEMPLATE_DATABASE } from '../runner/test-servers'
import { WAIT_TIMEOUT_MS } from './deadlines'

let servers: ServerAddresses | undefined

/** Called once, by the preload. */
export const provideServers = (started: ServerAddresses): void => {
  servers = started
}

const started = (): ServerAddresses => {
  if (servers === undefined)
    throw new Error('the preload (test/runner/setup.ts) has not run: start tests with `bun test`')
  return servers
}

/** Creates a migrated database for the test file, cloned from the template. It is dropped when the file ends. */
export const createTestDatabase = async (): Promise<{ url: string; sql: Sql }> => {
  const { databaseUrl } = started()
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = connectAdmin()
  await admin`create database ${admin(name)} template ${admin(TEMPLATE_DATABASE)} strategy file_copy`
  const url = databaseUrl.replace(/[^/]+$/, name)
  const sql = connectDatabase(url, { max: 5 })
  afterAll(async () => {
    await sql.end({ timeout: 1 })
    await admin`drop database ${admin(name)} with (force)`
  })
  return { url, sql }
}

let administration: Sql | undefined
/** One connection per process: a new session costs both sides as much processor time as a new database. */
const connectAdmin = (): Sql => {
  administration ??= connectDatabase(started().databaseUrl, { max: 1 })
  return administration
}

/** Called once, after the last test file. */
export const leaveServers = async (): Promise<void> => {
  await administration?.end()
}

/** The run's Meilisearch. Use index names of your own. */
export const testMeilisearch = (): { url: string; masterKey: string } => {
  const { meili } = started()
  if (meili === null) throw new Error('there is no Meilisearch for this platform')
  return meili
}

/** Pauses between the checks of `waitFor`. They grow to the longest in 4 s: a long wait that asks a server often costs processor time. */
const CHECK_EVERY_MS = { first: 20, longest: 100, perMs: 0.02 }

/** Waits until `condition` is true. Throws after `timeoutMs`. */
export const waitFor = async (
  condition: () => boolean | Promise<boolean>,
  timeoutMs = WAIT_TIMEOUT_MS,
): Promise<void> => {
  const startedAt = Date.now()
  while (!(await condition())) {
    const waitedMs = Date.now() - startedAt
    if (waitedMs > timeoutMs) throw new Error(`still false after ${timeoutMs} ms: ${condition}`)
    await Bun.sleep(Math.min(CHECK_EVERY_MS.first + waitedMs * CHECK_EVERY_MS.perMs, CHECK_EVERY_MS.longest))
  }
}
