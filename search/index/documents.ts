import {
  FILTER_FIELDS,
  type FieldKey,
  type FilterFieldName,
  fieldKey,
  PARCEL_FIELDS,
  type ParcelFieldName,
  SEARCH_FIELDS,
  type StoredValues,
} from '../../core/parcels/fields'
import type { EntitySearchRow, ParcelSearchRow } from '../../drizzle/queries/search/search-documents'
import { houseNumberOf, standardizeWord } from '../query/address'
import { indexId, spellId } from '../query/parcel-id'
import { ownerKey, parcelKey, splitAddress, splitName, standardizeName } from '../query/text'
import { placeWords } from '../rank/compared-fields'
import { CANDIDATE_ATTRIBUTE, encodeEntity, encodeParcel, type WithCandidate } from './candidates'
import { cellsOf } from './cells'

type DocumentFields<Name extends ParcelFieldName> = { [One in Name]: StoredValues[FieldKey<One>] }

/** A parcel's document in Meilisearch: the fields that `PARCEL_SETTINGS` searches and filters, and the candidate. */
export interface ParcelDocument extends DocumentFields<FilterFieldName | 'assessed_value'>, WithCandidate {
  id: string
  source: string
  parcel_key: string
  state: string
  county_name: string
  name: string
  address: string
  /** To list the houses of a street from a number on. */
  house_number: number | null
  city: string
  mailing: string
  /** The owners of its accounts. Empty without accounts. */
  account_owners: string
  /** Its spellings and groups (query/parcel-id.ts), as words. */
  parcel_id: string
  /** Its spellings, for prefix searches. */
  id_spellings: string[]
  /** To return one parcel of each owner when hits are grouped. Null without an owner: such parcels are not grouped. */
  owner_key: string | null
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

export interface EntityDocument extends WithCandidate {
  id: string
  jurisdiction: string
  name_normalized: string
  registered_agent_name: string | null
  checksum: string
}

export const createParcelDocument = (row: ParcelSearchRow): ParcelDocument =>
  withChecksum({
    id: row.id,
    source: row.source,
    parcel_key: parcelKey(row.sourceParcelId),
    state: row.state,
    county_name: row.countyName,
    assessed_value: row.assessedValue,
    ...toFilterFields(row),
    name: spellNameBothWays(row.ownerName),
    address: spellBothWays(row.situsAddress),
    house_number: houseNumberOf(splitAddress(row.situsAddress ?? '')[0] ?? ''),
    city: [...new Set(placeWords(row))].join(' '),
    mailing: spellBothWays(row.ownerMailingAddress),
    account_owners: row.accountOwners?.split('\n').map(spellNameBothWays).join(' ') ?? '',
    parcel_id: indexId(row.sourceParcelId),
    id_spellings: [...new Set(spellId(row.sourceParcelId))],
    owner_key: ownerKey(row.ownerName ?? '') || null,
    west: row.west,
    south: row.south,
    east: row.east,
    north: row.north,
    cells: row.lat === null || row.lon === null ? [] : cellsOf({ lat: row.lat, lon: row.lon }),
    [CANDIDATE_ATTRIBUTE]: encodeParcel(row),
  })

export const createEntityDocument = (row: EntitySearchRow): EntityDocument =>
  withChecksum({
    id: row.id,
    jurisdiction: row.jurisdiction,
    name_normalized: spellNameBothWays(row.name),
    registered_agent_name: row.registeredAgentName,
    [CANDIDATE_ATTRIBUTE]: encodeEntity(row),
  })

const FILTER_KEYS = FILTER_FIELDS.map((name) => [name, fieldKey(name)] as const)

const toFilterFields = (row: StoredValues<FilterFieldName>) => {
  const fields: Record<string, unknown> = {}
  for (const [name, key] of FILTER_KEYS) fields[name] = row[key]
  return fields as unknown as DocumentFields<FilterFieldName>
}

const withChecksum = <Document extends object>(document: Document): Document & { checksum: string } => ({
  ...document,
  checksum: Bun.hash(JSON.stringify(document)).toString(36),
})

/** An address as written, followed by the standard form of the words that Publication 28 changes. */
const spellBothWays = (address: string | null): string => {
  const words = splitAddress(address ?? '')
  return [...words, ...words.map(standardizeWord).filter((word) => !words.includes(word))].join(' ')
}

/** A name as written, followed by the words that `normalizeName` changes. */
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
  accountOwners: 'JUNIPER ADA\nJUNIPER & SONS FARMS, L.L.C.\nJUNIPER RIDGE OWNERS ASSOCIATION',
  ...Object.fromEntries(SEARCH_FIELDS.map((name) => [fieldKey(name), PARCEL_FIELDS[name].example])),
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
export const EXAMPLE_DOCUMENTS = [
  createParcelDocument(EXAMPLE_PARCEL),
  createParcelDocument({
    ...EXAMPLE_PARCEL,
    sourceParcelId: 'MAP 012 LOT 03',
    ownerName: 'JUNIPER INDEPENDENT SCHOOL DISTRICT',
    situsAddress: '9 RURAL ROUTE 2',
  }),
  createEntityDocument(EXAMPLE_ENTITY),
]
