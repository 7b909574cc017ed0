import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import { connectDatabase } from './database'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
/** Any constant will do, as long as all migrators agree on it. */
const MIGRATION_LOCK = 5_214_077

/**
 * Brings the schema of the database at `url` up to date. Safe to run from many processes at once (an advisory lock lets one
 * through at a time) and again (what is applied is skipped). The client is its own: drizzle changes a client's date parsers.
 */
export const migrate = async (url: string): Promise<void> => {
  const sql = connectDatabase(url, { max: 1, applicationName: 'migrate' })
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
    await applyMigrations(drizzle(sql), { migrationsFolder: MIGRATIONS })
  } finally {
    await sql.end()
  }
}
