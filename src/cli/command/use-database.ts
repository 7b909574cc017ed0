import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { migrate, NEWER_SCHEMA } from '../../../drizzle/migrate'
import { readConfig } from '../../config'
import { useComponents } from '../../roles/components'

/** The actor of commands, where requests have the first 8 characters of their key. */
export const ACTOR = 'operator'

/**
 * Runs a command that needs only the database, migrated. The embedded Meilisearch is not started. `needsData` (the default): see
 * `useComponents`. `hasOwnSchema` is false if a newer version has upgraded the database.
 */
export const useDatabase = async (
  { applicationName, max = 1, needsData = true }: { applicationName: string; max?: number; needsData?: boolean },
  run: (sql: Sql, hasOwnSchema: boolean) => Promise<void>,
): Promise<void> => {
  const config = readConfig()
  // The dummy URL prevents Meilisearch from starting.
  const meili = config.meili ?? { url: 'http://127.0.0.1:9', masterKey: null }
  const components = await useComponents({ ...config, meili }, console.error, { needsData })
  const sql = connectDatabase(components.databaseUrl, { max, applicationName, probed: true })
  try {
    const hasOwnSchema = await migrate(components.databaseUrl)
    if (!hasOwnSchema) console.error(NEWER_SCHEMA)
    await run(sql, hasOwnSchema)
  } finally {
    await sql.end({ timeout: 5 })
    await components.stop()
  }
}
