import type { EntityCandidate, ParcelCandidate } from './engine'
import type { Ranked } from './rank'

/** [west, south, east, north] in degrees. */
export type Bbox = [west: number, south: number, east: number, north: number]

export interface ParcelHit {
  kind: 'parcel'
  source: string
  source_parcel_id: string
  state: string
  county_name: string
  owner_name: string | null
  situs_address: string | null
  situs_city: string | null
  situs_state: string | null
  assessed_value: number | null
  score: number
}

export interface EntityHit {
  kind: 'entity'
  id: string
  jurisdiction: string
  registry_number: string
  name: string
  entity_type: string | null
  status: string | null
  registered_agent_name: string | null
  linked_parcel_count: number
  score: number
}

/** Parcels of one owner. `member_count` counts all of them, `members` has the best 50; `bbox` holds all that have geometry. */
export interface OwnerGroupHit {
  kind: 'owner-group'
  owner_name: string
  member_count: number
  members: ParcelHit[]
  bbox: Bbox | null
  score: number
}

export type SearchHit = ParcelHit | EntityHit | OwnerGroupHit

/** What a caller sees of a parcel that ranked. */
export const formatParcel = ({ candidate, score }: Ranked<ParcelCandidate>): ParcelHit => ({
  kind: 'parcel',
  source: candidate.source,
  source_parcel_id: candidate.sourceParcelId,
  state: candidate.state,
  county_name: candidate.countyName,
  owner_name: candidate.ownerName,
  situs_address: candidate.situsAddress,
  situs_city: candidate.situsCity,
  situs_state: candidate.situsState,
  assessed_value: candidate.assessedValue,
  score,
})

/** What a caller sees of an entity that ranked. */
export const formatEntity = ({ candidate, score }: Ranked<EntityCandidate>): EntityHit => ({
  kind: 'entity',
  id: candidate.id,
  jurisdiction: candidate.jurisdiction,
  registry_number: candidate.registryNumber,
  name: candidate.name,
  entity_type: candidate.entityType,
  status: candidate.status,
  registered_agent_name: candidate.registeredAgentName,
  linked_parcel_count: candidate.linkedParcelCount,
  score,
})
