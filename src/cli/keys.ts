import { parseArgs } from 'node:util'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { isUuid } from '../../core/text/uuid'
import { migrate } from '../../drizzle/migrate'
import { listKeys, revokeKey } from '../../drizzle/queries/people/api-keys'
import { readConfig } from '../config'
import { issueKey } from '../people/issue-key'
import { useComponents } from '../roles/components'
import { runCommand, UsageError } from './command/command'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE = wrapUsage(`bun run keys create NAME [--enqueue] [--bulk-export]
                                       create a key and print it once (--enqueue: may request scrapes; --bulk-export: may export parcels)
bun run keys list                      all keys: id, name, capabilities, time of creation, last use, revoked
bun run keys revoke ID                 refuse a key from the next request on`)

const create = async (sql: Sql, name: string, more: readonly string[]): Promise<void> => {
  const { id, key } = await issueKey(sql, { name, capabilities: ['read', ...more] })
  console.log(`${key}\n\nKey ${id} is shown only once: save it now.`)
}

const list = async (sql: Sql): Promise<void> => {
  const keys = await listKeys(sql)
  if (keys.length === 0) console.log('No keys yet: bun run keys create NAME')
  else {
    console.table(
      keys.map((key) => ({
        id: key.id,
        name: key.name,
        capabilities: key.capabilities.join(' '),
        created: key.createdAt,
        'last used': key.lastUsedAt ?? 'never',
        revoked: key.revokedAt ?? '',
      })),
    )
  }
}

const revoke = async (sql: Sql, id: string): Promise<void> => {
  if (!(await revokeKey(sql, id))) throw new UsageError(`there is no valid key ${id}`)
  console.log(`Key ${id} is revoked.`)
}

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      enqueue: { type: 'boolean', default: false },
      'bulk-export': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [action, given = ''] = positionals
  const argument = given.trim()
  if (values.help) return console.log(USAGE)
  if (!['create', 'list', 'revoke'].includes(action ?? '')) throw new UsageError(USAGE)
  if (action === 'create' && argument === '') throw new UsageError(`NAME is missing: what the key is for\n${USAGE}`)
  if (action === 'revoke' && !isUuid(argument))
    throw new UsageError(`ID must be the id of a key, as \`keys list\` shows it\n${USAGE}`)
  const components = await useComponents(readConfig(), console.error)
  const sql = connectDatabase(components.databaseUrl, { max: 1 })
  try {
    await migrate(components.databaseUrl)
    const more = (['enqueue', 'bulk-export'] as const).filter((capability) => values[capability])
    if (action === 'create') await create(sql, argument, more)
    else if (action === 'revoke') await revoke(sql, argument)
    else await list(sql)
  } finally {
    await sql.end()
    await components.stop()
  }
})
