import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db, Sql, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { isLockTimeout } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'
import { parcelFilter, placeFilter } from '../parcels/parcel-filter'

/** Which parcels are drawn: those with a boundary or a point that meet the filter. */
export interface TileParcelFilter {
  filter: ParcelFilter
  /** Slugs: only parcels of these sources. Null: no such condition. */
  sources: readonly string[] | null
}

/**
 * SQL for `parcels p`. `sources` replaces the filter's state, county and source: `listTileSources` has resolved them, so that all parts
 * of a build use the same sources.
 */
export const isDrawn = (db: Db, { filter, sources }: TileParcelFilter) => db`
  p.bbox is not null ${parcelFilter(db, { ...filter, state: null, county: null, source: null })}
  ${sources === null ? db`` : db`and p.source = any(${[...sources]}::text[])`}`

/** The sources that meet a filter's state, county and source and are in a list of slugs, in order. Null: all sources. */
export const listTileSources = async (db: Db, { filter, sources }: TileParcelFilter): Promise<string[] | null> => {
  const { state, county, source } = filter
  if (state === null && county === null && source === null && sources === null) return null
  const rows = await db<{ source: string }[]>`
    select source from sources place
    where true ${placeFilter(db, filter)} ${source === null ? db`` : db`and source = ${source}`}
      ${sources === null ? db`` : db`and source = any(${[...sources]}::text[])`}
    order by source`
  return rows.map((row) => row.source)
}

/** Whether there is any parcel to draw. */
export const hasTileParcels = async (db: Db): Promise<boolean> => {
  const rows = await db<{ some: boolean }[]>`select exists (select from live_parcels where bbox is not null) as some`
  return onlyRow(rows).some
}

/** Number of blocks of the table. `forEachTileParcel` reads ranges of blocks. */
export const countTableBlocks = async (db: Db): Promise<number> => {
  const rows = await db<{ n: number }[]>`
    select (pg_relation_size('parcels') / current_setting('block_size')::int)::float8 as n`
  return onlyRow(rows).n
}

/** How long a thread of a build waits for a session that wants the table alone, such as a migration. */
const MAKE_WAY_MS = 2_000

/**
 * Exports the snapshot of this transaction (repeatable read), so that other connections see the same rows. It is valid until the
 * transaction ends. The table is locked first: a snapshot does not show the rows of a table that is rewritten later.
 */
export const exportSnapshot = async (tx: Transaction): Promise<string> => {
  await tx`lock table parcels in access share mode`
  const rows = await tx<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`
  return onlyRow(rows).snapshot
}

/**
 * Runs `read` on a connection that sees the rows of `snapshot`. A session that wants the table alone waits for the transaction that exported
 * the snapshot, and this connection for that session: PostgreSQL does not see that they wait for each other, because it does not know
 * that the transaction waits for `read`.
 *
 * @throws ServiceError `busy`: such a session is waiting, and the transaction must end
 */
export const withSnapshot = async (
  sql: Sql,
  snapshot: string,
  read: (tx: Transaction) => Promise<void>,
): Promise<void> => {
  try {
    await sql.begin('isolation level repeatable read read only', async (tx) => {
      if (!/^[0-9A-F-]+$/.test(snapshot)) throw new Error(`no snapshot is called ${snapshot}`)
      // These statements cannot take a parameter.
      await tx.unsafe(`set transaction snapshot '${snapshot}'; set local lock_timeout = ${MAKE_WAY_MS}`)
      await read(tx)
    })
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    const what = 'another session, such as a migration, wants the table of parcels alone: the build has made way for it'
    throw new ServiceError('busy', what, { cause: error })
  }
}

/**
 * Calls a function for each drawn parcel in `blocks` blocks of the table from `firstBlock` on, in storage order. The arguments are the
 * parcel's boundary or point (GeoJSON) and `columns`: each as bytes in the database's text format, or null. The bytes are valid only
 * during the call.
 */
export const forEachTileParcel = async (
  db: Db,
  filter: TileParcelFilter,
  { firstBlock, blocks }: { firstBlock: number; blocks: number },
  columns: readonly string[],
  handle: (geometry: Uint8Array, texts: readonly (Uint8Array | null)[]) => void,
): Promise<void> => {
  const query = db<Uint8Array[][]>`
    select ${db(['place', ...columns])} from (select ctid, *, place_geojson(geom, lon, lat) as place from parcels) p
    where ctid >= ${`(${firstBlock},0)`}::tid and ctid < ${`(${firstBlock + blocks},0)`}::tid and ${isDrawn(db, filter)}`
  // Raw rows: values go into tiles without decoding.
  query.raw()
  await query.forEach((row) => {
    handle(row[0] as Uint8Array, row.slice(1))
  })
}
