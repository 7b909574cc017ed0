import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import { connectDatabase } from '../core/postgres/database'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

/** The migrations of this code, oldest first. `madeAt` (ms since 1970) is what a database remembers of each. */
export const listMigrations = (): { name: string; madeAt: number }[] => {
  const journal = JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8'))
  return journal.entries.map(({ tag, when }: { tag: string; when: number }) => ({ name: tag, madeAt: when }))
}

/** Any constant will do, as long as all migrators agree on it. */
const MIGRATION_LOCK = 5_214_077

/**
 * Brings the schema of the database at `url` up to date. Safe to run from many processes at once (an advisory lock lets one
 * through at a time) and again (what is applied is skipped). The client is its own: drizzle changes a client's date parsers.
 */
export const migrate = async (url: string): Promise<void> => {
  const sql = connectDatabase(url, { max: 1, applicationName: 'migrate', patience: 'endless' })
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
    await applyMigrations(drizzle(sql), { migrationsFolder: MIGRATIONS })
  } finally {
    await sql.end()
  }
}
