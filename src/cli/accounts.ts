import { parseArgs } from 'node:util'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { findAccount, findAccountsByEmail, listAccounts } from '../../drizzle/queries/people/accounts'
import { ACCOUNT_PLANS, type AccountPlan } from '../../drizzle/schema/values'
import { changeAccount } from '../people/change-account'
import { runCommand, UsageError } from './command/command'
import { readAction } from './command/read-action'
import { useDatabase } from './command/use-database'
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
  if (!given.includes('@')) {
    if ((await findAccount(sql, given)) === null) throw new ServiceError('not_found', `there is no account ${given}`)
    return given
  }
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
  if (values.help) return console.log(USAGE)
  const { action, given } = readAction(positionals, { list: '', promote: 'EMAIL', plan: 'EMAIL free|paid' }, USAGE)
  const [person = '', planName] = given
  if (action !== 'list' && !person.includes('@') && !isUuid(person))
    throw new UsageError(
      `EMAIL must be an email, or the id of an account, as \`accounts list\` shows it, not "${person}"`,
      USAGE,
    )
  const plan = ACCOUNT_PLANS.find((name) => name === planName)
  if (action === 'plan' && plan === undefined) throw new UsageError(`a plan is free or paid, not "${planName}"`, USAGE)
  await useDatabase({ applicationName: 'accounts' }, async (sql) => {
    if (action === 'list') await list(sql)
    else await change(sql, person, plan === undefined ? { role: 'admin' } : { plan })
  })
})
