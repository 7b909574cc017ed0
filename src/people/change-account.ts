import type { Sql, Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { endExportsOf } from '../../drizzle/queries/exports/exports'
import { type AccountChange, deleteAccount, lockAdmins, updateAccount } from '../../drizzle/queries/people/accounts'

/**
 * Changes an account's role or plan. Returns its row as JSON text.
 *
 * @throws ServiceError `not_found`; `conflict` when it would leave the service without an admin
 */
export const changeAccount = (sql: Sql, id: string, change: AccountChange): Promise<string> =>
  changing(sql, id, (tx) => updateAccount(tx, id, change), { endsAdmin: change.role === 'member' })

/**
 * Removes an account with its sessions and keys, and ends its exports, so that links to their files stop working. Returns its former row as JSON text.
 *
 * @throws ServiceError `not_found`; `conflict` when it is the last admin
 */
export const removeAccount = (sql: Sql, id: string): Promise<string> =>
  changing(
    sql,
    id,
    async (tx) => {
      await endExportsOf(tx, id.toLowerCase(), 'its account was removed')
      return deleteAccount(tx, id)
    },
    { endsAdmin: true },
  )

/** Changes of accounts that are or become admins run one after another, in all processes. */
const changing = async (
  sql: Sql,
  id: string,
  change: (tx: Transaction) => Promise<string | null>,
  { endsAdmin }: { endsAdmin: boolean },
): Promise<string> => {
  if (!isUuid(id)) throw new ServiceError('not_found', 'not found')
  return await sql.begin(async (tx) => {
    const admins = await lockAdmins(tx)
    if (endsAdmin && admins.length === 1 && admins[0] === id.toLowerCase()) {
      throw new ServiceError('conflict', 'this is the last admin: make another account one first')
    }
    const row = await change(tx)
    if (row === null) throw new ServiceError('not_found', 'not found')
    return row
  })
}
