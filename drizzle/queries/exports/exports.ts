import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { cancelledWorkFields } from '../work/cancel-work'

/** How long the file of an export is kept. */
export const FILE_DAYS = 7

const expiresAt = (db: Db) => db`case when w.status = 'done' then w.finished_at + ${FILE_DAYS} * interval '1 day' end`

/** The fields that callers see. `w` is a row of `work`. */
const exportFields = (db: Db) => db`
  w.id, w.status, w.payload -> 'format' as format, w.payload -> 'gzip' as gzip, w.payload -> 'fields' as fields,
  w.payload -> 'geometry' as geometry, w.payload -> 'filter' as filter,
  w.payload -> 'place' -> 'relation' as relation, w.payload -> 'place' -> 'bbox' as area_bbox, w.done as rows, w.total,
  iso_utc(w.created_at) as created_at, iso_utc(w.started_at) as started_at, iso_utc(w.finished_at) as finished_at,
  iso_utc(${expiresAt(db)}) as expires_at, w.result -> 'size_bytes' as size_bytes,
  w.result -> 'dataset_version' as dataset_version, w.result -> 'licenses' as licenses, w.error_code, w.error_message`

export interface ExportRow {
  /** JSON text. */
  body: string
  /** Null: there is no file, or it has expired. */
  file: ExportFile | null
}

export interface ExportFile {
  name: string
  mediaType: string
  sizeBytes: number
  /** SHA-256 of its bytes, in hex. */
  sha256: string
  /** ISO 8601. */
  expiresAt: string
}

const fileOf = (db: Db) => db`
  case when w.status = 'done' and ${expiresAt(db)} > now() then json_build_object('name', w.result -> 'file',
    'mediaType', w.result -> 'media_type', 'sizeBytes', w.result -> 'size_bytes', 'sha256', w.result -> 'sha256',
    'expiresAt', iso_utc(${expiresAt(db)})) end`

/** One export. With `owner`, finds only exports that this caller requested. Returns null if there is none. */
export const findExport = async (db: Db, id: string, owner: string | null): Promise<ExportRow | null> => {
  const [row] = await db<ExportRow[]>`
    select row_to_json((select r from (select ${exportFields(db)}) r))::text as body, ${fileOf(db)} as file
    from work w
    where w.id = ${id} and w.kind = 'export' ${owner === null ? db`` : db`and w.ordering_key = ${owner}`}`
  return row ?? null
}

/** The exports of a caller, or of all callers if `owner` is null, newest first. `after` is the last id of the previous page. */
export const listExports = (
  db: Db,
  owner: string | null,
  { after, limit }: { after: string | null; limit: number },
): Promise<(ExportRow & { id: string })[]> => db<(ExportRow & { id: string })[]>`
  select w.id, row_to_json((select r from (select ${exportFields(db)}) r))::text as body, ${fileOf(db)} as file
  from work w
  where w.kind = 'export' ${owner === null ? db`` : db`and w.ordering_key = ${owner}`}
    ${after === null ? db`` : db`and w.id < ${after}`}
  order by w.id desc limit ${limit}`

/** How many exports of a caller are queued or running. No other transaction adds one until this one ends. */
export const countOpenExports = async (tx: Transaction, owner: string): Promise<number> => {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`exports ${owner}`}, 0))`
  const rows = await tx<{ n: number }[]>`
    select count(*)::int as n from work
    where kind = 'export' and status in ('queued', 'running') and ordering_key = ${owner}`
  return onlyRow(rows).n
}

/** Ends the exports of a caller that are open or have a file. Links to the files stop working; the files are removed when they expire. */
export const endExportsOf = async (db: Db, owner: string, message: string): Promise<void> => {
  await db`
    update work w set ${cancelledWorkFields(db, message)}
    where kind = 'export' and ordering_key = ${owner} and (status in ('queued', 'running') or ${expiresAt(db)} > now())`
}

/** The size of all files that have not expired. */
export const sumExportBytes = async (db: Db): Promise<number> => {
  const rows = await db<{ bytes: number }[]>`
    select coalesce(sum((w.result ->> 'size_bytes')::float8), 0) as bytes from work w
    where w.kind = 'export' and w.status = 'done' and ${expiresAt(db)} > now()`
  return onlyRow(rows).bytes
}
