import { parseArgs } from 'node:util'
import { VENDORS } from '../../adapters/registry'
import { seed } from '../../drizzle/seed/seed'
import { runCommand } from './command/command'
import { useDatabase } from './command/use-database'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE = wrapUsage(
  `bun run db:migrate      update the schema, and insert the rows that every database needs; safe to run again`,
)

await runCommand(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) return console.log(USAGE)
  await useDatabase({ applicationName: 'migrate', needsData: false }, async (sql, hasOwnSchema) => {
    if (!hasOwnSchema) return
    const renewed = await seed(sql, VENDORS)
    if (renewed.length > 0) console.log(`sources with the settings of this release: ${renewed.join(', ')}`)
    console.log('the schema is up to date')
  })
})
