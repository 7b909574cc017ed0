import {
  CANDIDATE_FIELDS,
  type CandidateFieldName,
  type FieldKey,
  fieldKey,
  PARCEL_FIELDS,
  type ParcelFieldName,
  SEARCH_FIELDS,
  type SearchFieldName,
  type StoredValues,
} from '../../core/parcel-fields'
import type { EntitySearchRow, ParcelSearchRow } from '../../drizzle/queries/search/search-documents'
import type { EntityCandidate, ParcelCandidate } from '../engine'
import { standardizeWord } from '../query/address'
import { indexId, spellId } from '../query/parcel-id'
import { ownerKey, parcelKey, splitAddress, splitName, standardizeName } from '../query/text'
import { placeWords } from '../rank/compared-fields'
import { cellsOf } from './cells'

type DocumentFields<Name extends ParcelFieldName> = { [One in Name]: StoredValues[FieldKey<One>] }

/** A parcel's document in Meilisearch. The fields of `PARCEL_SETTINGS` are searched; the contract's fields are returned. */
export interface ParcelDocument extends DocumentFields<SearchFieldName> {
  id: string
  source: string
  source_parcel_id: string
  parcel_key: string
  state: string
  county_name: string
  name: string
  address: string
  city: string
  mailing: string
  /** Its spellings and groups (query/parcel-id.ts), as words. */
  parcel_id: string
  /** Its spellings, to find it by its beginning. */
  id_spellings: string[]
  /** To return one parcel of each owner when hits are grouped. Null without an owner: such parcels are not grouped. */
  owner_key: string | null
  lat: number | null
  lon: number | null
  /** The edges of its box, to filter by a box. */
  west: number | null
  south: number | null
  east: number | null
  north: number | null
  /** The cells of its position, for searches near a place. */
  cells: string[]
  /** A checksum of all other fields, to compare documents without reading them. */
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
    ...toDocument(row),
    name: spellNameBothWays(row.ownerName),
    address: spellBothWays(row.situsAddress),
    city: placeWords(row).join(' '),
    mailing: spellBothWays(row.ownerMailingAddress),
    parcel_id: indexId(row.sourceParcelId),
    id_spellings: [...new Set(spellId(row.sourceParcelId))],
    owner_key: ownerKey(row.ownerName ?? '') || null,
    lat: row.lat,
    lon: row.lon,
    west: row.west,
    south: row.south,
    east: row.east,
    north: row.north,
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
    name_normalized: spellNameBothWays(row.name),
  })

const SEARCH_KEYS = SEARCH_FIELDS.map((name) => [name, fieldKey(name)] as const)
const CANDIDATE_KEYS = CANDIDATE_FIELDS.map((name) => [name, fieldKey(name)] as const)

const toDocument = (row: StoredValues<SearchFieldName>) => {
  const fields: Record<string, unknown> = {}
  for (const [name, key] of SEARCH_KEYS) fields[name] = row[key]
  return fields as unknown as DocumentFields<SearchFieldName>
}

const toCandidate = (document: DocumentFields<CandidateFieldName>) => {
  const fields: Record<string, unknown> = {}
  for (const [name, key] of CANDIDATE_KEYS) fields[key] = document[name]
  return fields as unknown as StoredValues<CandidateFieldName>
}

const withChecksum = <Document extends object>(document: Document): Document & { checksum: string } => ({
  ...document,
  checksum: Bun.hash(JSON.stringify(document)).toString(36),
})

/** An address as written, followed by the words that Publication 28 writes differently. */
const spellBothWays = (address: string | null): string => {
  const words = splitAddress(address ?? '')
  return [...words, ...words.map(standardizeWord).filter((word) => !words.includes(word))].join(' ')
}

/** A name as written, followed by the words that `normalizeName` writes differently. */
const spellNameBothWays = (name: string | null): string => {
  const words = splitName(name ?? '')
  return [...words, ...standardizeName(words).filter((word) => !words.includes(word))].join(' ')
}

const EXAMPLE_PARCEL = {
  id: '019b76da-8c00-7000-8000-000000000001',
  source: 'sample-county',
  sourceParcelId: '12-0345 0670',
  state: 'OR',
  countyName: 'Larkspur',
  lon: -122.98,
  lat: 45.51,
  west: -122.981,
  south: 45.509,
  east: -122.979,
  north: 45.511,
  ...Object.fromEntries(SEARCH_KEYS.map(([name, key]) => [key, PARCEL_FIELDS[name].example])),
} as ParcelSearchRow

const EXAMPLE_ENTITY: EntitySearchRow = {
  id: '019b76da-8c00-7000-8000-000000000002',
  jurisdiction: 'OR',
  registryNumber: '1234567-89',
  name: 'Juniper & Sons Farms, L.L.C.',
  entityType: 'DOMESTIC LIMITED LIABILITY COMPANY',
  status: 'ACTIVE',
  registeredAgentName: 'ADA JUNIPER',
  linkedParcelCount: 3,
}

/** Documents of example rows. They differ when the fields of documents, or the spelling of names and addresses, differ. */
export const EXAMPLE_DOCUMENTS = [createParcelDocument(EXAMPLE_PARCEL), createEntityDocument(EXAMPLE_ENTITY)]

/** The attributes of documents that a search reads. Meilisearch decodes the displayed ones of each hit, so no others are displayed. */
export const PARCEL_ATTRIBUTES = [
  ...['id', 'source', 'source_parcel_id', 'state', 'county_name'],
  ...CANDIDATE_FIELDS,
  ...['lat', 'lon'],
]
export const ENTITY_ATTRIBUTES = [
  'id',
  'jurisdiction',
  'registry_number',
  'name',
  'entity_type',
  'status',
  'registered_agent_name',
  'linked_parcel_count',
]

export type ParcelAnswer = Omit<
  ParcelDocument,
  'name' | 'address' | 'city' | 'mailing' | 'parcel_id' | 'id_spellings' | 'parcel_key' | 'owner_key' | 'checksum'
>
export type EntityAnswer = Omit<EntityDocument, 'name_normalized' | 'checksum'>

export const readParcelDocument = (document: ParcelAnswer): ParcelCandidate => ({
  kind: 'parcel',
  id: document.id,
  source: document.source,
  sourceParcelId: document.source_parcel_id,
  state: document.state,
  countyName: document.county_name,
  ...toCandidate(document),
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
