import { parseArgs } from 'node:util'
import { VENDORS } from '../../adapters/registry'
import { connectDatabase } from '../../core/postgres/database'
import { migrate } from '../../drizzle/migrate'
import { seed } from '../../drizzle/seed/seed'
import { readConfig } from '../config'
import { useComponents } from '../roles/components'
import { runCommand } from './command/command'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE = wrapUsage(
  `bun run db:migrate      update the schema, and insert the rows that every database needs; safe to run again`,
)

await runCommand(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) return console.log(USAGE)
  const components = await useComponents(readConfig(), console.error)
  try {
    await migrate(components.databaseUrl)
    const sql = connectDatabase(components.databaseUrl, { max: 1 })
    const renewed = await seed(sql, VENDORS)
    await sql.end()
    if (renewed.length > 0) console.log(`sources with the settings of this release: ${renewed.join(', ')}`)
    console.log('the schema is up to date')
  } finally {
    await components.stop()
  }
})
