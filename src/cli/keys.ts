import { parseArgs } from 'node:util'
import { MAX_KEY_NAME } from '../../core/bounds'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { listKeys, revokeKey } from '../../drizzle/queries/people/api-keys'
import { issueKey } from '../people/issue-key'
import { runCommand, UsageError } from './command/command'
import { readAction } from './command/read-action'
import { useDatabase } from './command/use-database'
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
  if (!(await revokeKey(sql, id))) throw new ServiceError('not_found', `there is no valid key ${id}`)
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
  if (values.help) return console.log(USAGE)
  const { action, given } = readAction(positionals, { create: 'NAME', list: '', revoke: 'ID' }, USAGE)
  const [argument = ''] = given
  if (action === 'create' && (argument.length > MAX_KEY_NAME || /\p{Cc}/u.test(argument)))
    throw new UsageError(`NAME must be the purpose of the key: 1 to ${MAX_KEY_NAME} characters, no control characters`)
  if (action === 'revoke' && !isUuid(argument))
    throw new UsageError(`ID must be the id of a key, as \`keys list\` shows it, not "${argument}"`, USAGE)
  const more = (['enqueue', 'bulk-export'] as const).filter((capability) => values[capability])
  if (action !== 'create' && more[0] !== undefined) throw new UsageError(`--${more[0]} belongs to \`keys create\``)
  await useDatabase({ applicationName: 'keys' }, async (sql) => {
    if (action === 'create') await create(sql, argument, more)
    else if (action === 'revoke') await revoke(sql, argument)
    else await list(sql)
  })
})
