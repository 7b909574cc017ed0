import { SEARCH_FIELDS, type SearchFieldName, type StoredValues } from '../../../core/parcels/fields'
import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { ALL_STATES, hasAllStates, type StateSet } from '../../../core/state-set'
import { selectValues } from '../parcels/field-columns'
import { inStates } from './in-states'
import type { DocumentKind } from './search-outbox'

/** A parcel with the fields that search needs, and those of its source. `lon` and `lat` are the center of its box, null without geometry. */
export interface ParcelSearchRow extends StoredValues<SearchFieldName> {
  id: string
  source: string
  sourceParcelId: string
  state: string
  countyName: string
  lon: number | null
  lat: number | null
  /** The edges of its box, null without geometry. */
  west: number | null
  south: number | null
  east: number | null
  north: number | null
  /** The owners of its accounts, one per line. Null without accounts. */
  accountOwners: string | null
  /** ISO 8601, UTC. Null: its source still lists it. */
  retiredAt: string | null
}

export interface EntitySearchRow {
  id: string
  jurisdiction: string
  registryNumber: string
  name: string
  entityType: string | null
  status: string | null
  registeredAgentName: string | null
  linkedParcelCount: number
}

const FIELD_VALUES = selectValues(SEARCH_FIELDS, 'p')

/** The columns of a `ParcelSearchRow`, from `parcels p join sources s`. */
export const parcelColumns = (db: Db) => db`
  p.id, p.source, p.source_parcel_id as "sourceParcelId", s.state, s.county_name as "countyName",
  ${db.unsafe(FIELD_VALUES)},
  (middle(p.bbox))[0] as lon, (middle(p.bbox))[1] as lat,
  (p.bbox[1])[0] as west, (p.bbox[1])[1] as south, (p.bbox[0])[0] as east, (p.bbox[0])[1] as north, account_owners(p.accounts) as "accountOwners",
  iso_utc(p.retired_at) as "retiredAt"
`

/** The columns of an `EntitySearchRow`, from `entities e`. */
export const entityColumns = (db: Db) => db`
  e.id, e.jurisdiction, e.registry_number as "registryNumber", e.name, e.entity_type as "entityType", e.status,
  e.registered_agent_name as "registeredAgentName", e.linked_parcel_count as "linkedParcelCount"
`

/** The listed parcels, unordered. */
export const listParcelsToIndex = async (db: Db, ids: readonly string[]): Promise<ParcelSearchRow[]> => db<
  ParcelSearchRow[]
>`
  select ${parcelColumns(db)} from live_parcels p join sources s using (source) where p.id = any(${[...ids]}::uuid[])
`

/** The existing entities, unordered. */
export const listEntitiesToIndex = async (db: Db, ids: readonly string[]): Promise<EntitySearchRow[]> => db<
  EntitySearchRow[]
>`
  select ${entityColumns(db)} from entities e where e.id = any(${[...ids]}::uuid[])
`

/** The ids that have a document in an index of these states. */
export const listExistingIds = async (
  db: Db,
  kind: DocumentKind,
  ids: readonly string[],
  states: StateSet,
): Promise<string[]> => {
  const rows =
    kind === 'parcel'
      ? await db<{ id: string }[]>`
        select p.id from live_parcels p join sources s using (source)
        where p.id = any(${[...ids]}::uuid[]) and ${inStates(db, db`s.state`, states)}`
      : await db<{ id: string }[]>`
        select e.id from entities e where e.id = any(${[...ids]}::uuid[]) and ${inStates(db, db`e.jurisdiction`, states)}`
  return rows.map(({ id }) => id)
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** A keyset page of all listed parcels by id, after `after`. */
export const listParcelsAfter = async (db: Db, after: string | null, limit: number): Promise<ParcelSearchRow[]> => db<
  ParcelSearchRow[]
>`
  select ${parcelColumns(db)}
  from (select * from live_parcels where id > ${after ?? BEFORE_ALL}::uuid order by id limit ${limit}) p
  join sources s using (source)
  order by p.id
`

/** A keyset page of all entities by id, after `after`. */
export const listEntitiesAfter = async (db: Db, after: string | null, limit: number): Promise<EntitySearchRow[]> => db<
  EntitySearchRow[]
>`
  select ${entityColumns(db)} from entities e where e.id > ${after ?? BEFORE_ALL}::uuid order by e.id limit ${limit}
`

/** A keyset page of all ids, and whether they have a document in an index of these states. Reads the same number of rows for any states. */
export const listIdsAfter = (
  db: Db,
  kind: DocumentKind,
  after: string | null,
  limit: number,
  states: StateSet,
): Promise<{ id: string; isWanted: boolean }[]> =>
  kind === 'parcel'
    ? db<{ id: string; isWanted: boolean }[]>`
      select p.id, ${inStates(db, db`s.state`, states)} as "isWanted"
      from (select id, source from live_parcels where id > ${after ?? BEFORE_ALL}::uuid order by id limit ${limit}) p
      join sources s using (source) order by p.id`
    : db<{ id: string; isWanted: boolean }[]>`
      select e.id, ${inStates(db, db`e.jurisdiction`, states)} as "isWanted"
      from entities e where e.id > ${after ?? BEFORE_ALL}::uuid order by e.id limit ${limit}`

/** How many documents the index of these states should have. Counts every row, so do not call it in a request. */
export const countSearchRows = async (
  db: Db,
  states: StateSet = ALL_STATES,
): Promise<{ parcels: number; entities: number }> => {
  const isAll = hasAllStates(states)
  const rows = await db<{ parcels: number; entities: number }[]>`
    select (
      select count(*) from live_parcels p
      where ${isAll ? db`true` : db`p.source = any(array(select s.source from sources s where ${inStates(db, db`s.state`, states)}))`}
    )::float8 as parcels, (
      select count(*) from entities e where ${isAll ? db`true` : inStates(db, db`e.jurisdiction`, states)}
    )::float8 as entities
  `
  return onlyRow(rows)
}
