import { afterAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase } from '../core/postgres/database'
import { migrate } from '../drizzle/migrate'
import { startMeilisearch } from '../src/embedded/meilisearch'
import { startPostgres } from '../src/embedded/postgres'
import { provideServers } from './servers'

/*
 * One PostgreSQL and one Meilisearch for the whole run; a database with the schema stands ready to be cloned by each test
 * file (test/servers.ts). Durability is off: what these servers hold dies with them.
 */
const dir = join(tmpdir(), `parcel-data-service-test-${randomBytes(6).toString('hex')}`)
const [postgres, meilisearch] = await Promise.all([
  startPostgres(join(dir, 'postgres'), { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  startMeilisearch(join(dir, 'meilisearch')),
])

const admin = connectDatabase(postgres.url, { max: 1 })
await admin`create database template_parcels`
await migrate(postgres.url.replace(/[^/]+$/, 'template_parcels'))
provideServers({ admin, databaseUrl: postgres.url, meili: meilisearch })

afterAll(async () => {
  await admin.end()
  await Promise.all([postgres.stop(), meilisearch?.stop()])
  rmSync(dir, { recursive: true, force: true })
})
