import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import type { Config } from '../../config'
import { WIDTH } from '../../ingest/write-batches'
import { useComponents } from '../../roles/components'

/** Runs a step on the migrated database, with as many connections as a load needs. */
export const withDatabase = async (config: Config, run: (sql: Sql) => Promise<void>): Promise<void> => {
  const components = await useComponents(config, console.error)
  const sql = connectDatabase(components.databaseUrl, { max: WIDTH, applicationName: 'ingest' })
  try {
    await migrate(components.databaseUrl)
    await run(sql)
  } finally {
    await sql.end({ timeout: 5 })
    await components.stop()
  }
}
