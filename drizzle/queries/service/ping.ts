import type { Db } from '../../../core/postgres/database'
import { probe } from '../../../core/postgres/probe'
import { waitAtMost } from '../../../core/wait-at-most'

/** Whether the server answers: in time, too late, or not at all. */
export const ping = (db: Db, timeoutMs: number): Promise<'up' | 'late' | 'away'> =>
  waitAtMost(
    timeoutMs,
    probe(db).then(
      () => 'up' as const,
      () => 'away' as const,
    ),
  )
