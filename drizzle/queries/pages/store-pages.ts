import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

export interface PageKey {
  source: string
  sourceParcelId: string
  hash: string
}

export interface PageRow extends PageKey {
  adapter: string
  version: string
  outcome: string
  message: string | null
  overrides: Record<string, unknown>
  answeredAt: string[]
  fetchedAt: string
}

/**
 * Writes the rows of pages that are about to be stored, and returns those whose bytes are not stored yet. A page that is already stored
 * gets the new time, outcome and version. Rows of unknown sources are left out, and pages that are being removed: their bytes may be deleted
 * at any moment. `pages` must not contain a page twice.
 */
export const announcePages = (db: Db, pages: readonly PageRow[]): Promise<PageKey[]> => db<PageKey[]>`
  with announced as (
    insert into kept_pages as k (source, source_parcel_id, hash, adapter, version, outcome, message, overrides, answered_at, fetched_at)
    select source, "sourceParcelId", hash, adapter, version, outcome, message, overrides, "answeredAt", "fetchedAt"
    from jsonb_to_recordset(${JSON.stringify(pages)}::text::jsonb) as r (
      source text, "sourceParcelId" text, hash text, adapter text, version text, outcome text, message text, overrides jsonb,
      "answeredAt" jsonb, "fetchedAt" timestamptz
    )
    where exists (select from sources s where s.source = r.source)
    order by source, "sourceParcelId", hash
    on conflict (source, source_parcel_id, hash) do update set
      adapter = excluded.adapter, version = excluded.version, outcome = excluded.outcome, message = excluded.message,
      overrides = excluded.overrides, answered_at = excluded.answered_at, fetched_at = excluded.fetched_at
    where k.fetched_at <= excluded.fetched_at and k.size_bytes <> ${BEING_REMOVED}
    returning source, source_parcel_id, hash, stored_at
  )
  select source, source_parcel_id as "sourceParcelId", hash from announced where stored_at is null`

/** Records that the bytes of these pages are stored. */
export const finishPages = async (db: Db, pages: readonly (PageKey & { sizeBytes: number })[]): Promise<void> => {
  await db`
    update kept_pages k set stored_at = now(), size_bytes = r."sizeBytes"
    from jsonb_to_recordset(${JSON.stringify(pages)}::text::jsonb) as r (
      source text, "sourceParcelId" text, hash text, "sizeBytes" int
    )
    where k.source = r.source and k.source_parcel_id = r."sourceParcelId" and k.hash = r.hash and k.size_bytes <> ${BEING_REMOVED}`
}

/** Records that portals said at these times (ISO 8601) that the last good pages of these parcels are unchanged. */
export const confirmPages = async (
  db: Db,
  parcels: readonly { source: string; sourceParcelId: string; at: string }[],
): Promise<void> => {
  await db`
    update kept_pages k set fetched_at = greatest(k.fetched_at, confirmed.at)
    from (
      select source, source_parcel_id, max(at) as at
      from unnest(${parcels.map(({ source }) => source)}::text[], ${parcels.map(({ sourceParcelId }) => sourceParcelId)}::text[],
        ${parcels.map(({ at }) => at)}::timestamptz[]) as one (source, source_parcel_id, at)
      group by source, source_parcel_id
    ) confirmed
    cross join lateral (
      select hash from kept_pages l
      where l.source = confirmed.source and l.source_parcel_id = confirmed.source_parcel_id and outcome = 'done' and stored_at is not null
      order by fetched_at desc, hash limit 1
    ) last
    where k.source = confirmed.source and k.source_parcel_id = confirmed.source_parcel_id and k.hash = last.hash`
}

/** A page whose row is marked: it is no longer listed. */
export interface MarkedPage extends PageKey {
  /** What it counted toward the size of all pages. */
  sizeBytes: number
}

/** `size_bytes` of a page from when its removal begins until its row is deleted. */
const BEING_REMOVED = -1

/*
 * Pages are removed in three steps: a statement below marks their rows, the caller removes their bytes, and `deletePages` deletes the
 * rows. The mark has a time. If the other steps fail or the process is lost, `markExpiredPages` returns the page again, as it does for
 * pages that a process did not finish storing.
 */

const mark = (db: Db) => db`stored_at = null, size_bytes = ${BEING_REMOVED}, fetched_at = now()`

const marked = (db: Db) =>
  db`k.source, k.source_parcel_id as "sourceParcelId", k.hash, greatest(old.size_bytes, 0) as "sizeBytes"`

/** Marks good pages of these parcels, except the newest `keep` of each parcel. */
export const markFormerPages = (
  db: Db,
  parcels: readonly Pick<PageKey, 'source' | 'sourceParcelId'>[],
  keep: number,
): Promise<MarkedPage[]> => db<MarkedPage[]>`
  update kept_pages k set ${mark(db)} from (
    select source, source_parcel_id, hash,
      row_number() over (partition by source, source_parcel_id order by fetched_at desc, hash) as place
    from kept_pages join (
      select distinct source, source_parcel_id from unnest(${parcels.map(({ source }) => source)}::text[],
        ${parcels.map(({ sourceParcelId }) => sourceParcelId)}::text[]) as touched (source, source_parcel_id)
    ) touched using (source, source_parcel_id)
    where outcome = 'done' and stored_at is not null
  ) ranked
  where place > ${keep} and k.source = ranked.source and k.source_parcel_id = ranked.source_parcel_id and k.hash = ranked.hash
    and k.stored_at is not null
  returning ${marked(db)}`

/** Marks up to `limit` pages that failed too long ago, or that a process began to store or remove and did not finish. */
export const markExpiredPages = (
  db: Db,
  { failedDays, unfinishedMinutes, limit }: { failedDays: number; unfinishedMinutes: number; limit: number },
): Promise<MarkedPage[]> => db<MarkedPage[]>`
  update kept_pages k set ${mark(db)} where (source, source_parcel_id, hash) in (
    select source, source_parcel_id, hash from kept_pages
    where (outcome <> 'done' and fetched_at < now() - ${failedDays} * interval '1 day')
      or (stored_at is null and fetched_at < now() - ${unfinishedMinutes} * interval '1 minute')
    limit ${limit} for update skip locked
  )
  returning ${marked(db)}`

/** Marks the oldest pages, up to `limit`, until the others have at most `mostBytes`. */
export const markOldestPages = (
  db: Db,
  { mostBytes, limit }: { mostBytes: number; limit: number },
): Promise<MarkedPage[]> => db<MarkedPage[]>`
  update kept_pages k set ${mark(db)} where (source, source_parcel_id, hash) in (
    select source, source_parcel_id, hash from (
      select source, source_parcel_id, hash, sum(size_bytes) over (order by fetched_at, hash) - size_bytes as before
      from (
        select * from kept_pages where stored_at is not null order by fetched_at, hash limit ${limit} for update skip locked
      ) oldest
    ) summed
    where before < (select sum(size_bytes) from kept_pages where stored_at is not null) - ${mostBytes}
  )
  returning ${marked(db)}`

/** Deletes the rows of pages that have no bytes. */
export const deletePages = async (db: Db, pages: readonly PageKey[]): Promise<void> => {
  await db`
    delete from kept_pages k
    using jsonb_to_recordset(${JSON.stringify(pages)}::text::jsonb) as r (source text, "sourceParcelId" text, hash text)
    where k.source = r.source and k.source_parcel_id = r."sourceParcelId" and k.hash = r.hash and k.stored_at is null`
}

/** The number of kept pages, and their size. */
export const countKeptPages = async (db: Db): Promise<{ pages: number; bytes: number }> => {
  const rows = await db<{ pages: number; bytes: number }[]>`
    select count(*)::float8 as pages, coalesce(sum(size_bytes), 0)::float8 as bytes from kept_pages where stored_at is not null`
  return onlyRow(rows)
}

/** Any constant will do, as long as all processes agree on it. */
const SWEEP_LOCK = 7_210_339

/** Takes the lock for a sweep until the transaction ends. False: another transaction has it. */
export const takeSweepLock = async (tx: Transaction): Promise<boolean> => {
  const [row] = await tx<{ isMine: boolean }[]>`select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as "isMine"`
  return row?.isMine === true
}
