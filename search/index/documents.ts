import type { EntitySearchRow, ParcelSearchRow } from '../../drizzle/queries/search/search-documents'
import type { EntityCandidate, ParcelCandidate } from '../engine'
import { standardizeWord } from '../query/address'
import { normalizeName, parcelKey, splitAddress, splitWords } from '../query/text'
import { cellsOf } from './cells'

/** A parcel as Meilisearch keeps it. `name` and `address` are what is searched; the contract's fields are what comes back. */
export interface ParcelDocument {
  id: string
  source: string
  source_parcel_id: string
  parcel_key: string
  state: string
  county_name: string
  owner_name: string | null
  owner_mailing_address: string | null
  situs_address: string | null
  situs_city: string | null
  situs_state: string | null
  assessed_value: number | null
  land_use_class: string | null
  zoning_code: string | null
  zoning_description: string | null
  name: string
  address: string
  city: string
  mailing: string
  lat: number | null
  lon: number | null
  /** Where it lies, for searches near a place. */
  cells: string[]
  /** Of all the other fields, so that what is in the index can be compared without being read. */
  checksum: string
}

export interface EntityDocument {
  id: string
  jurisdiction: string
  registry_number: string
  name: string
  entity_type: string | null
  status: string | null
  registered_agent_name: string | null
  linked_parcel_count: number
  name_normalized: string
  checksum: string
}

export const createParcelDocument = (row: ParcelSearchRow): ParcelDocument =>
  withChecksum({
    id: row.id,
    source: row.source,
    source_parcel_id: row.sourceParcelId,
    parcel_key: parcelKey(row.sourceParcelId),
    state: row.state,
    county_name: row.countyName,
    owner_name: row.ownerName,
    owner_mailing_address: row.ownerMailingAddress,
    situs_address: row.situsAddress,
    situs_city: row.situsCity,
    situs_state: row.situsState,
    assessed_value: row.assessedValue,
    land_use_class: row.landUseClass,
    zoning_code: row.zoningCode,
    zoning_description: row.zoningDescription,
    name: normalizeName(row.ownerName ?? ''),
    address: spellBothWays(row.situsAddress),
    city: splitWords(row.situsCity ?? '').join(' '),
    mailing: spellBothWays(row.ownerMailingAddress),
    lat: row.lat,
    lon: row.lon,
    cells: row.lat === null || row.lon === null ? [] : cellsOf({ lat: row.lat, lon: row.lon }),
  })

export const createEntityDocument = (row: EntitySearchRow): EntityDocument =>
  withChecksum({
    id: row.id,
    jurisdiction: row.jurisdiction,
    registry_number: row.registryNumber,
    name: row.name,
    entity_type: row.entityType,
    status: row.status,
    registered_agent_name: row.registeredAgentName,
    linked_parcel_count: row.linkedParcelCount,
    name_normalized: normalizeName(row.name),
  })

const withChecksum = <Document extends object>(document: Document): Document & { checksum: string } => ({
  ...document,
  checksum: Bun.hash(JSON.stringify(document)).toString(36),
})

/** An address as it is written, and after it the words that Publication 28 writes in another way. */
const spellBothWays = (address: string | null): string => {
  const words = splitAddress(address ?? '')
  return [...words, ...words.map(standardizeWord).filter((word) => !words.includes(word))].join(' ')
}

export type ParcelAnswer = Omit<ParcelDocument, 'name' | 'address' | 'city' | 'mailing' | 'parcel_key' | 'checksum'>
export type EntityAnswer = Omit<EntityDocument, 'name_normalized' | 'checksum'>

export const readParcelDocument = (document: ParcelAnswer): ParcelCandidate => ({
  kind: 'parcel',
  id: document.id,
  source: document.source,
  sourceParcelId: document.source_parcel_id,
  state: document.state,
  countyName: document.county_name,
  ownerName: document.owner_name,
  ownerMailingAddress: document.owner_mailing_address,
  situsAddress: document.situs_address,
  situsCity: document.situs_city,
  situsState: document.situs_state,
  assessedValue: document.assessed_value,
  lon: document.lon,
  lat: document.lat,
})

export const readEntityDocument = (document: EntityAnswer): EntityCandidate => ({
  kind: 'entity',
  id: document.id,
  jurisdiction: document.jurisdiction,
  registryNumber: document.registry_number,
  name: document.name,
  entityType: document.entity_type,
  status: document.status,
  registeredAgentName: document.registered_agent_name,
  linkedParcelCount: document.linked_parcel_count,
})
