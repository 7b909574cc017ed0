import type { Db, Transaction } from '../../../core/postgres/database'
import type { WorkAttempt } from './claim-work'

/**
 * Where work stands, locked until the transaction ends: nobody can cancel or take over the work meanwhile. Null: this try is not the
 * current one.
 */
export const lockWork = async (
  tx: Transaction,
  { id, attempt }: WorkAttempt,
): Promise<{ isDone: boolean; cursor: string | null } | null> => {
  const [row] = await tx<{ isDone: boolean; cursor: string | null }[]>`
    select status = 'done' as "isDone", cursor from work
    where id = ${id} and attempts = ${attempt} and status in ('running', 'done') for update`
  return row ?? null
}

export interface WorkProgress {
  done: number
  total?: number | null
  /** Where the next try goes on. */
  cursor?: string | null
  /** Members of the result that have changed. */
  result?: Record<string, unknown>
}

/** Records the progress of a try, which forgets the failures before it. False: this try is not the current one any more. */
export const advanceWork = async (
  db: Db,
  { id, attempt }: WorkAttempt,
  { done, total, cursor, result = {} }: WorkProgress,
): Promise<boolean> => {
  const { count } = await db`
    update work set done = ${done}, failures = 0, error_code = null, error_message = null,
      result = result || ${JSON.stringify(result)}::text::jsonb
      ${total === undefined ? db`` : db`, total = ${total}`} ${cursor === undefined ? db`` : db`, cursor = ${cursor}`}
    where id = ${id} and attempts = ${attempt} and status = 'running'`
  return count === 1
}
