import { Meilisearch, type Settings } from 'meilisearch'
import { ZONING_FIELDS } from '../../core/parcels/fields'
import { CANDIDATE_ATTRIBUTE } from './candidates'
import { EXAMPLE_DOCUMENTS } from './documents'

/** The URL of a Meilisearch. `masterKey` is null for a server without one. */
export interface MeilisearchAddress {
  url: string
  masterKey: string | null
}

/**
 * A client that requests uncompressed responses. Meilisearch sends compressed ones in two segments, and the second waits 40 ms for a
 * delayed ACK (p50 44.0 ms instead of 1.7 ms at 1,000,000 parcels).
 */
export const connectMeilisearch = ({ url, masterKey }: MeilisearchAddress, timeoutMs?: number): Meilisearch =>
  new Meilisearch({
    host: url,
    ...(masterKey === null ? {} : { apiKey: masterKey }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    requestInit: { headers: { 'accept-encoding': 'identity' } },
  })

/** Names of one service's indexes. Services with different prefixes can share a Meilisearch. */
export const indexNames = (prefix: string) => ({
  parcels: `${prefix}parcels`,
  entities: `${prefix}entities`,
  shadowParcels: `${prefix}parcels_shadow`,
  shadowEntities: `${prefix}entities_shadow`,
  /** The settings version of the indexes, and the version of the record that they reflect. */
  meta: `${prefix}meta`,
})
export type IndexNames = ReturnType<typeof indexNames>

/** Filterable by equality only, without facets: the cheapest kind to index. */
const equality = (...attributePatterns: string[]) => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality: true, comparison: false } },
})

/** Filterable by `<=` and `>=`, and by `STARTS WITH` in a time that does not depend on the number of values (0.5 ms instead of 10 at 100,000). */
const comparison = (...attributePatterns: string[]) => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality: false, comparison: true } },
})

const shared = {
  // Meilisearch decodes the displayed fields of each hit.
  displayedAttributes: [CANDIDATE_ATTRIBUTE],
  // The service ranks the candidates itself, so these rules only need to return the right candidates first. With `exactness`, prefixes took two to three times as long
  // (2 letters 15 ms, without it 6 ms, at 1,000,000 parcels).
  rankingRules: ['sort', 'words', 'typo'],
  typoTolerance: { enabled: true, minWordSizeForTypos: { oneTypo: 3, twoTypos: 7 } },
  proximityPrecision: 'byAttribute',
  facetSearch: false,
  searchCutoffMs: 400,
} satisfies Settings

export const PARCEL_SETTINGS: Settings = {
  ...shared,
  searchableAttributes: ['name', 'address', 'city', 'mailing', 'parcel_id', 'account_owners'],
  filterableAttributes: [
    equality('state', 'source', 'county_name', 'parcel_key', 'cells'),
    equality(...ZONING_FIELDS),
    // Equality serves "distinct" and owners of many parcels; the other filter is by prefix.
    {
      attributePatterns: ['owner_key'],
      features: { facetSearch: false, filter: { equality: true, comparison: true } },
    },
    comparison(
      'id_spellings',
      'address',
      'house_number',
      'assessed_value',
      'acreage',
      'west',
      'south',
      'east',
      'north',
    ),
  ],
  sortableAttributes: ['house_number'],
}

export const ENTITY_SETTINGS: Settings = {
  ...shared,
  searchableAttributes: ['name_normalized', 'registered_agent_name'],
  filterableAttributes: [equality('jurisdiction')],
}

/**
 * Changes with the settings and with the documents of the example rows. An index with another version is rebuilt. A change of
 * documents that the examples do not show is found by the hourly comparison of index and database.
 */
export const SETTINGS_VERSION = Bun.hash(
  JSON.stringify([EXAMPLE_DOCUMENTS, PARCEL_SETTINGS, ENTITY_SETTINGS]),
).toString(36)
