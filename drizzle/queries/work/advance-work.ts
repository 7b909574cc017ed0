import type { Db, Transaction } from '../../../core/postgres/database'
import type { WorkAttempt } from './claim-work'

/**
 * Locks the row of work until the transaction ends, so that nobody cancels or takes over the work in between. Returns its progress, or
 * null if this attempt is no longer the current one.
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
  /** Where the next attempt continues. */
  cursor?: string | null
  /** The members of the result that changed. */
  result?: Record<string, unknown>
}

/** Records progress and resets the number of failures. Returns false if this attempt is no longer the current one. */
export const advanceWork = async (
  db: Db,
  { id, attempt }: WorkAttempt,
  { done, total, cursor, result = {} }: WorkProgress,
): Promise<boolean> => {
  const { count } = await db`
    update work set done = ${done}, failures = 0, error_code = null, failure_class = null, error_message = null,
      result = result || ${JSON.stringify(result)}::text::jsonb
      ${total === undefined ? db`` : db`, total = ${total}`} ${cursor === undefined ? db`` : db`, cursor = ${cursor}`}
    where id = ${id} and attempts = ${attempt} and status = 'running'`
  return count === 1
}
