import { parseArgs } from 'node:util'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { migrate } from '../../drizzle/migrate'
import { findAccountsByEmail, listAccounts } from '../../drizzle/queries/people/accounts'
import { ACCOUNT_PLANS, type AccountPlan } from '../../drizzle/schema/values'
import { readConfig } from '../config'
import { changeAccount } from '../people/change-account'
import { useComponents } from '../roles/components'
import { runCommand, UsageError } from './command/command'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE = wrapUsage(`bun run accounts list                    people who have signed in, newest first
bun run accounts promote EMAIL           make someone an admin
bun run accounts plan EMAIL free|paid    set a person's plan (paid: may request scrapes and export parcels, and issue keys that may)
EMAIL may be the id of an account instead, as \`list\` shows it.`)

const PAGE = 500

const list = async (sql: Sql): Promise<void> => {
  const people: object[] = []
  for (let after: string | null = null; ; ) {
    const rows = await listAccounts(sql, { after, q: null, limit: PAGE })
    for (const { body } of rows) {
      const { id, email, name, role, plan, last_seen_at, keys } = JSON.parse(body)
      people.push({ id, email, name: name ?? '', role, plan, keys, 'last seen': last_seen_at ?? 'never' })
    }
    after = rows.at(-1)?.id ?? null
    if (rows.length < PAGE) break
  }
  if (people.length === 0) console.log('Nobody has signed in yet.')
  else console.table(people)
}

/** @throws ServiceError `not_found`, or `conflict` when several accounts have this email */
const getId = async (sql: Sql, given: string): Promise<string> => {
  if (!given.includes('@')) return given
  const found = await findAccountsByEmail(sql, given)
  const [account] = found
  if (account === undefined) {
    throw new ServiceError(
      'not_found',
      `nobody with the email ${given} has signed in yet. They must first sign in at /auth/sign-in`,
    )
  }
  if (found.length > 1) {
    const ids = found.map(({ id, issuer }) => `${id} (of ${issuer})`).join(', ')
    throw new ServiceError('conflict', `${found.length} accounts have the email ${given}: give an id instead: ${ids}`)
  }
  return account.id
}

const change = async (sql: Sql, given: string, to: { role: 'admin' } | { plan: AccountPlan }): Promise<void> => {
  const { email, name, role, plan } = JSON.parse(await changeAccount(sql, await getId(sql, given), to))
  console.log(`${name ?? email} (${email}) is now: ${role}, plan ${plan}.`)
}

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false } },
  })
  const [action, given = '', planName] = positionals
  if (values.help) return console.log(USAGE)
  if (!['list', 'promote', 'plan'].includes(action ?? '')) throw new UsageError(USAGE)
  if (action !== 'list' && !given.includes('@') && !isUuid(given))
    throw new UsageError(`EMAIL must be an email, or the id of an account, as \`accounts list\` shows it\n${USAGE}`)
  const plan = ACCOUNT_PLANS.find((name) => name === planName)
  if (action === 'plan' && plan === undefined) throw new UsageError(`a plan is free or paid\n${USAGE}`)
  const components = await useComponents(readConfig(), console.error)
  const sql = connectDatabase(components.databaseUrl, { max: 1 })
  try {
    await migrate(components.databaseUrl)
    if (action === 'list') await list(sql)
    else await change(sql, given, plan === undefined ? { role: 'admin' } : { plan })
  } finally {
    await sql.end()
    await components.stop()
  }
})
