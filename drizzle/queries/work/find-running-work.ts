import type { Db } from '../../../core/postgres/database'

export interface RunningWork {
  subject: string | null
  done: number
  /** Null: not known yet. */
  total: number | null
}

/** The oldest work of a kind that a process runs now; null if none does. */
export const findRunningWork = async (db: Db, kind: string): Promise<RunningWork | null> => {
  const [row] = await db<RunningWork[]>`
    select subject, done::float8 as done, total::float8 as total from work
    where kind = ${kind} and status = 'running' and lease_expires_at >= now()
    order by id limit 1`
  return row ?? null
}
