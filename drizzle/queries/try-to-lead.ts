import type { Db } from '../database'

/**
 * Takes the lock of a duty that one process has at a time, for the length of this connection's session, if nobody has it. Names the
 * session that has it now; null: another has.
 */
export const tryToLead = async (connection: Db, duty: string): Promise<string | null> => {
  const [row] = await connection<{ session: string | null }[]>`
    select case when pg_try_advisory_lock(hashtext(${duty})) then (${sessionName(connection)}) end as session
  `
  return row?.session ?? null
}

/**
 * Names the session behind a connection: another one after a reconnect, and then without the locks of the first. The process id
 * alone would not do: a server that is restarted in its container gives the same ones again.
 */
export const findSession = async (connection: Db): Promise<string | null> => {
  const [row] = await connection<{ session: string }[]>`${sessionName(connection)}`
  return row?.session ?? null
}

const sessionName = (db: Db) => db`
  select pid || ' ' || backend_start as session from pg_stat_activity where pid = pg_backend_pid()`
