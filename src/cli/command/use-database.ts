import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import { readConfig } from '../../config'
import { useComponents } from '../../roles/components'

/** The actor of commands, where requests have the first 8 characters of their key. */
export const ACTOR = 'operator'

/**
 * Runs a command that needs only the database, migrated. The embedded Meilisearch is not started. `needsData` (the default): see
 * `useComponents`.
 */
export const useDatabase = async (
  { applicationName, max = 1, needsData = true }: { applicationName: string; max?: number; needsData?: boolean },
  run: (sql: Sql) => Promise<void>,
): Promise<void> => {
  const config = readConfig()
  // The dummy URL prevents Meilisearch from starting.
  const meili = config.meili ?? { url: 'http://127.0.0.1:9', masterKey: null }
  const components = await useComponents({ ...config, meili }, console.error, { needsData })
  const sql = connectDatabase(components.databaseUrl, { max, applicationName })
  try {
    await migrate(components.databaseUrl)
    await run(sql)
  } finally {
    await sql.end({ timeout: 5 })
    await components.stop()
  }
}
