import { waitAtMost } from '../../../core/concurrency/wait-at-most'
import type { Db } from '../../../core/postgres/database'
import { probe } from '../../../core/postgres/probe'

/** `late`: no answer within `timeoutMs`. `away`: the query failed. */
export const ping = (db: Db, timeoutMs: number): Promise<'up' | 'late' | 'away'> =>
  waitAtMost(
    timeoutMs,
    probe(db).then(
      () => 'up' as const,
      () => 'away' as const,
    ),
  )
