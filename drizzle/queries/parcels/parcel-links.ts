import type { MultiPolygon } from 'geojson'
import type { Db } from '../../../core/postgres/database'
import type { LinkKind } from '../../schema/values'

/** A retired parcel, and one whose box overlaps its box. */
export interface LinkCandidate {
  /** The version of the change that retired the first one. */
  version: number
  predecessor: string
  /** Null: there is none. */
  successor: string | null
}

/**
 * The parcels that a load retired, `limit` of them after the change with version `after`. Each is returned with the listed parcels of
 * its source whose box overlaps its box, if the load created them, relisted them or changed their boundary.
 */
export const listLinkCandidates = (
  db: Db,
  loadId: string,
  { after, limit }: { after: number; limit: number },
): Promise<LinkCandidate[]> => db<LinkCandidate[]>`
  with retired as materialized (
    select c.version, p.id, p.source, p.bbox from parcel_changes c join parcels p on p.id = c.parcel_id
    where c.cause_id = ${loadId} and c.action = 'retired' and c.version > ${after} and p.retired_at is not null
    order by c.version limit ${limit}
  )
  select r.version::float8 as version, r.id as predecessor, s.id as successor
  from retired r left join lateral (
    select p.id from live_parcels p
    where p.bbox && r.bbox and p.source = r.source and exists (
      select from parcel_changes c
      where c.parcel_id = p.id and c.cause_id = ${loadId} and (c.action in ('created', 'returned') or c.changes ? 'geom')
    )
  ) s on true
  order by r.version, s.id`

/** Boundaries by the ids of their parcels. */
export const readBoundaries = async (db: Db, ids: readonly string[]): Promise<Map<string, MultiPolygon | null>> => {
  const rows = await db<{ id: string; geom: MultiPolygon | null }[]>`
    select id, geom from parcels where id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, geom }) => [id, geom]))
}

export interface ParcelLink {
  predecessor: string
  successor: string
  kind: LinkKind
}

/** Adds links of a load. A link that exists gets the given kind. */
export const storeLinks = async (db: Db, loadId: string, links: readonly ParcelLink[]): Promise<void> => {
  if (links.length === 0) return
  await db`
    insert into parcel_links (predecessor, successor, kind, load_id)
    select predecessor, successor, kind, ${loadId}
    from jsonb_to_recordset(${JSON.stringify(links)}::text::jsonb) as l (predecessor uuid, successor uuid, kind text)
    order by predecessor, successor
    on conflict (predecessor, successor) do update set kind = excluded.kind, load_id = excluded.load_id`
}

/**
 * A parcel that seems to replace another may be the largest part of a split or merge. Sets the kind of such links, when all links of the
 * load are stored.
 */
export const settleLinkKinds = async (db: Db, loadId: string): Promise<void> => {
  await db`
    with counted as (
      select predecessor, successor, kind, count(*) over (partition by predecessor) as successors,
        count(*) over (partition by successor) as predecessors
      from parcel_links where load_id = ${loadId}
    )
    update parcel_links l set kind = case when c.successors > 1 then 'split' else 'merge' end
    from counted c
    where l.predecessor = c.predecessor and l.successor = c.successor and c.kind = 'replaced'
      and (c.successors > 1 or c.predecessors > 1)`
}

/** Deletes the links of a load that was undone: what it retired is listed again. */
export const deleteLinks = async (db: Db, loadId: string): Promise<void> => {
  await db`delete from parcel_links where load_id = ${loadId}`
}
