import type { Db } from '../database'

/** The server process behind a connection: another one after a reconnect, and then without the locks of the first. */
export const findBackendPid = async (connection: Db): Promise<number | null> => {
  const [row] = await connection<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row?.pid ?? null
}

/** Takes the lock of a duty that one process has at a time, for the length of this connection's session, if nobody has it. */
export const tryToLead = async (connection: Db, duty: string): Promise<boolean> => {
  const [row] = await connection<{ leads: boolean }[]>`select pg_try_advisory_lock(hashtext(${duty})) as leads`
  return row?.leads ?? false
}
