import { afterAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { connectDatabase, type Sql } from '../core/postgres/database'

interface Servers {
  admin: Sql
  databaseUrl: string
  meili: { url: string; masterKey: string } | null
}

let servers: Servers | undefined

/** Called once, by the preload. */
export const provideServers = (started: Servers): void => {
  servers = started
}

const started = (): Servers => {
  if (servers === undefined) throw new Error('the preload (test/setup.ts) has not run: start tests with `bun test`')
  return servers
}

/** A migrated database of one's own, cloned from the template; dropped when the test file ends. */
export const createTestDatabase = async (): Promise<{ url: string; sql: Sql }> => {
  const { admin, databaseUrl } = started()
  const name = `test_${randomBytes(6).toString('hex')}`
  await admin`create database ${admin(name)} template template_parcels strategy file_copy`
  const url = databaseUrl.replace(/[^/]+$/, name)
  const sql = connectDatabase(url, { max: 5 })
  afterAll(async () => {
    await sql.end({ timeout: 1 })
    await admin`drop database ${admin(name)} with (force)`
  })
  return { url, sql }
}

/** The run's Meilisearch. Use index names of your own. */
export const testMeilisearch = (): { url: string; masterKey: string } => {
  const { meili } = started()
  if (meili === null) throw new Error('there is no Meilisearch for this platform')
  return meili
}

/** Waits for `condition`, asking again every 20 ms. Throws after `timeoutMs`. */
export const waitFor = async (condition: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> => {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${condition}`)
    await Bun.sleep(20)
  }
}
