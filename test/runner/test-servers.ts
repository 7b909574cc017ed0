import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase } from '../../core/postgres/database'
import { migrate } from '../../drizzle/migrate'
import { startMeilisearch } from '../../src/operations/embedded/meilisearch'
import { startPostgres } from '../../src/operations/embedded/postgres'

/** Addresses of the test run's servers. `meili` is null on platforms without a Meilisearch. */
export interface ServerAddresses {
  databaseUrl: string
  meili: { url: string; masterKey: string } | null
}

/** Carries `ServerAddresses` as JSON from the runner (test/runner/run.ts) to the processes of the test files. */
export const SERVERS_VARIABLE = 'TEST_SERVERS'

export const TEMPLATE_DATABASE = 'template_parcels'

/** A file system in memory. Creating a test file's database there takes half the processor time that it takes on a disk. */
const IN_MEMORY = '/dev/shm'
const MIN_FREE_BYTES = 4 * 1024 ** 3

const chooseFolder = (): string => {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize >= MIN_FREE_BYTES ? IN_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

/**
 * Starts one PostgreSQL and one Meilisearch, and creates the template database that each test file clones (test/support/servers.ts).
 * Durability and replication are off: these servers are deleted when the tests end.
 */
export const startTestServers = async (): Promise<{ addresses: ServerAddresses; stop: () => Promise<void> }> => {
  const dir = join(chooseFolder(), `parcel-data-service-test-${randomBytes(6).toString('hex')}`)
  const [postgres, meilisearch] = await Promise.all([
    startPostgres(join(dir, 'postgres'), {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      wal_compression: 'off',
      max_connections: '300',
    }),
    startMeilisearch(join(dir, 'meilisearch')),
  ])
  const admin = connectDatabase(postgres.url, { max: 1 })
  await admin`create database ${admin(TEMPLATE_DATABASE)}`
  await admin.end()
  await migrate(postgres.url.replace(/[^/]+$/, TEMPLATE_DATABASE))
  return {
    addresses: {
      databaseUrl: postgres.url,
      meili: meilisearch && { url: meilisearch.url, masterKey: meilisearch.masterKey },
    },
    stop: async () => {
      await Promise.all([postgres.stop(), meilisearch?.stop()])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
