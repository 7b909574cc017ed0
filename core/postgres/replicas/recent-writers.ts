import type { Db } from '../database'

/** Notes that a caller wrote. Call it after the write is committed and before the caller gets the response. */
export const noteWriter = async (db: Db, caller: string): Promise<void> => {
  await db`
    insert into recent_writers (caller, wrote_at) values (${caller}, now())
    on conflict (caller) do update set wrote_at = excluded.wrote_at`
}

/** Which of these callers wrote in the last `withinMs`. */
export const listRecentWriters = async (
  db: Db,
  callers: string[],
  { withinMs }: { withinMs: number },
): Promise<Map<string, true>> => {
  const rows = await db<{ caller: string }[]>`
    select caller from recent_writers where caller = any(${callers}) and wrote_at > now() - ${withinMs} * interval '1 ms'`
  return new Map(rows.map(({ caller }) => [caller, true]))
}

/** Deletes at most `limit` rows that have no effect any more. Returns how many. */
export const forgetWriters = async (db: Db, limit: number): Promise<number> => {
  const deleted = await db`delete from recent_writers where caller in (
    select caller from recent_writers where wrote_at < now() - interval '1 hour' limit ${limit})`
  return deleted.count
}
