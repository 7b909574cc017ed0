import type { Db, Sql, Transaction } from '../../../core/postgres/database'

/** Which parcels are drawn: listed parcels with a geometry, in all sources or only in `sources`. */
export interface TileParcelFilter {
  sources: readonly string[] | null
}

export const isDrawn = (db: Db, { sources }: TileParcelFilter) =>
  sources === null ? db`bbox is not null` : db`bbox is not null and source = any(${[...sources]}::text[])`

/** All sources, or only those of a state (two capital letters) and in a list of slugs. */
export const listTileSources = async (
  db: Db,
  filter: { state: string | null; sources: readonly string[] | null },
): Promise<string[]> => {
  const rows = await db<{ source: string }[]>`
    select source from sources
    where ${filter.state === null ? db`true` : db`state = ${filter.state}`}
      and ${filter.sources === null ? db`true` : db`source = any(${[...filter.sources]}::text[])`}
    order by source`
  return rows.map(({ source }) => source)
}

/** Whether there is any parcel to draw. */
export const hasTileParcels = async (db: Db): Promise<boolean> => {
  const [row] = await db<{ some: boolean }[]>`select exists (select from live_parcels where bbox is not null) as some`
  return row?.some ?? false
}

/** Number of blocks of the table. `forEachTileParcel` reads ranges of blocks. */
export const countTableBlocks = async (db: Db): Promise<number> => {
  const [row] = await db<{ n: number }[]>`
    select (pg_relation_size('parcels') / current_setting('block_size')::int)::float8 as n`
  return row?.n ?? 0
}

/** Exports the snapshot of this transaction (repeatable read), so that other connections see the same rows. It is valid until the transaction ends. */
export const exportSnapshot = async (tx: Transaction): Promise<string> => {
  const [row] = await tx<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`
  return row?.snapshot ?? ''
}

/** Runs `read` on a connection that sees the rows of `snapshot`. */
export const withSnapshot = async (
  sql: Sql,
  snapshot: string,
  read: (tx: Transaction) => Promise<void>,
): Promise<void> => {
  await sql.begin('isolation level repeatable read read only', async (tx) => {
    if (!/^[0-9A-F-]+$/.test(snapshot)) throw new Error(`no snapshot is called ${snapshot}`)
    // This statement cannot take a parameter.
    await tx.unsafe(`set transaction snapshot '${snapshot}'`)
    await read(tx)
  })
}

/**
 * Calls a function for each drawn parcel in `blocks` blocks of the table from `firstBlock` on, in storage order. The arguments are the
 * parcel's geometry (GeoJSON) and `columns`: each as bytes in the database's text format, or null. The bytes are valid only
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
    select ${db(['geom', ...columns])} from parcels
    where ctid >= ${`(${firstBlock},0)`}::tid and ctid < ${`(${firstBlock + blocks},0)`}::tid
      and retired_at is null and ${isDrawn(db, filter)}`
  // Raw rows: values go into tiles without decoding.
  query.raw()
  await query.forEach((row) => {
    handle(row[0] as Uint8Array, row.slice(1))
  })
}
