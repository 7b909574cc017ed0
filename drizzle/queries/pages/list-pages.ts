import type { Db } from '../../../core/postgres/database'

/** The kept pages of a parcel as JSON texts, newest first. */
export const listPages = async (
  db: Db,
  { source, id, limit }: { source: string; id: string; limit: number },
): Promise<string[]> => {
  const rows = await db<{ body: string }[]>`
    select json_build_object('hash', hash, 'fetched_at', iso_utc(fetched_at), 'outcome', outcome, 'message', message,
      'adapter', adapter, 'version', version, 'answers', jsonb_array_length(answered_at), 'size_bytes', size_bytes)::text as body
    from kept_pages
    where source = ${source} and source_parcel_id = ${id} and stored_at is not null
    order by fetched_at desc, hash limit ${limit}`
  return rows.map(({ body }) => body)
}

/** Whether this page of a parcel is stored. */
export const hasPage = async (
  db: Db,
  { source, id, hash }: { source: string; id: string; hash: string },
): Promise<boolean> => {
  const rows = await db<{ one: number }[]>`
    select 1 as one from kept_pages
    where source = ${source} and source_parcel_id = ${id} and hash = ${hash} and stored_at is not null`
  return rows.length > 0
}

/** A stored page to parse again. */
export interface PageToReplay {
  hash: string
  overrides: Record<string, unknown>
  answeredAt: string[]
  /** ISO 8601. */
  fetchedAt: string
}

export interface ParcelToReplay {
  sourceParcelId: string
  /** Newest first. */
  pages: PageToReplay[]
}

/** Parcels of a source with their kept pages, in the order of their ids, after `after`. `since`: only pages from this time on (ISO 8601). */
export const listParcelsToReplay = (
  db: Db,
  source: string,
  { parcel, since, after, limit }: { parcel: string | null; since: string | null; after: string | null; limit: number },
): Promise<ParcelToReplay[]> => db<ParcelToReplay[]>`
  select source_parcel_id as "sourceParcelId",
    jsonb_agg(jsonb_build_object('hash', hash, 'overrides', overrides, 'answeredAt', answered_at, 'fetchedAt', iso_utc(fetched_at))
      order by fetched_at desc, hash) as pages
  from kept_pages
  where source = ${source} and stored_at is not null
    and (${parcel}::text is null or source_parcel_id = ${parcel})
    and (${since}::timestamptz is null or fetched_at >= ${since})
    and (${after}::text is null or source_parcel_id > ${after})
  group by source_parcel_id order by source_parcel_id limit ${limit}`

/** What a replay must not overwrite in a parcel. */
export interface NewerValues {
  sourceParcelId: string
  /** The source no longer lists the parcel. */
  isRetired: boolean
  /** Fields as the change log names them, whose values are newer than the page. An empty name: the whole parcel. */
  fields: string[]
}

/**
 * For each parcel, the fields whose last change is newer than the page to replay. A value that was read from a page is as old as the
 * page. All fields count as newer if the year of the page is compacted: a field that changed after the page, and changed back, has no
 * change then. Call it while the parcels are locked.
 */
export const listNewerValues = (
  db: Db,
  source: string,
  pages: readonly { sourceParcelId: string; fetchedAt: string }[],
): Promise<NewerValues[]> => db<NewerValues[]>`
  select p.source_parcel_id as "sourceParcelId", p.retired_at is not null as "isRetired",
    case when is_compacted(page.fetched_at) then array['']
      else coalesce(array_agg(distinct coalesce(field, '')) filter (where c.version is not null), '{}') end as fields
  from unnest(${pages.map(({ sourceParcelId }) => sourceParcelId)}::text[], ${pages.map(({ fetchedAt }) => fetchedAt)}::timestamptz[])
    as page (source_parcel_id, fetched_at)
  join parcels p on p.source = ${source} and p.source_parcel_id = page.source_parcel_id
  left join parcel_changes c on c.parcel_id = p.id and c.at > page.fetched_at
    and coalesce((c.origin ->> 'page_at')::timestamptz, c.at) > page.fetched_at
  left join lateral changed_fields(c.changes) as field on true
  group by p.id, page.fetched_at`

export interface ReplayedChange {
  version: number
  sourceParcelId: string
  action: string
  /** Field → [former value, new value]. */
  changes: Record<string, [unknown, unknown]>
}

/** The changes that a replay made after version `after`. Within the replay's transaction, this includes uncommitted ones. */
export const listReplayedChanges = (db: Db, replayId: string, after: number): Promise<ReplayedChange[]> => db<
  ReplayedChange[]
>`
  select version::float8 as version, source_parcel_id as "sourceParcelId", action, changes from parcel_changes
  where cause_id = ${replayId} and version > ${after} order by version`
