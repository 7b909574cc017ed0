import type { Db } from '../database'
import { onlyRow } from '../only-row'

/** A place in the write-ahead log, in bytes since its beginning. */
export type WalPosition = number

/**
 * A dataset version, and the place in the log at or before which all its changes were committed. The version is read first.
 *
 * At the end of a page of the log, the server names the first byte after the header of the next page (24 bytes, 40 in the first page of a
 * segment), but a replica that has replayed everything names the end of the page. So the header is subtracted.
 */
export const readPrimaryPosition = async (db: Db): Promise<{ version: number; position: WalPosition }> => {
  const rows = await db<{ version: number; position: number }[]>`
    with complete as materialized (
      select parcel_watermark()::float8 as version
    ), reached as materialized (
      select version, (pg_current_wal_insert_lsn() - '0/0'::pg_lsn) as byte from complete
    )
    select version, (byte - case byte % 8192 when 24 then 24 when 40 then 40 else 0 end)::float8 as position from reached`
  return onlyRow(rows)
}

/** The place up to which a replica has replayed the log, or null if the server is not a replica. */
export const readReplayPosition = async (db: Db): Promise<WalPosition | null> => {
  const [row] = await db<{ position: number | null }[]>`
    select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::float8 end as position`
  return row?.position ?? null
}
