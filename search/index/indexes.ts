import { Meilisearch, type Settings } from 'meilisearch'
import { ZONING_FIELDS } from '../../core/parcel-fields'

/** Where a Meilisearch is. `masterKey` is null for a server that asks for none. */
export interface MeilisearchAddress {
  url: string
  masterKey: string | null
}

/**
 * A client that asks for plain answers. Compressed ones leave Meilisearch in two segments, and the second waits 40 ms for a
 * delayed ACK (p50 44.0 ms against 1.7 ms at 1,000,000 parcels).
 */
export const connectMeilisearch = ({ url, masterKey }: MeilisearchAddress, timeoutMs?: number): Meilisearch =>
  new Meilisearch({
    host: url,
    ...(masterKey === null ? {} : { apiKey: masterKey }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    requestInit: { headers: { 'accept-encoding': 'identity' } },
  })

/** Names of the indexes of one service. Several share a Meilisearch when their prefixes differ. */
export const indexNames = (prefix: string) => ({
  parcels: `${prefix}parcels`,
  entities: `${prefix}entities`,
  shadowParcels: `${prefix}parcels_shadow`,
  shadowEntities: `${prefix}entities_shadow`,
  /** One document: which settings the indexes were built with. */
  meta: `${prefix}meta`,
})
export type IndexNames = ReturnType<typeof indexNames>

/** Filterable by equality only, and never listed as facets: the cheapest form there is to index. */
const equality = (...attributePatterns: string[]) => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality: true, comparison: false } },
})

const shared = {
  // Ranking is ours: the rules only have to bring the right candidates to the front. `exactness` made prefixes cost twice to thrice
  // (2 letters 15 ms, without it 6 ms, at 1,000,000 parcels).
  rankingRules: ['words', 'typo'],
  typoTolerance: { enabled: true, minWordSizeForTypos: { oneTypo: 3, twoTypos: 7 } },
  proximityPrecision: 'byAttribute',
  facetSearch: false,
  searchCutoffMs: 400,
} satisfies Settings

export const PARCEL_SETTINGS: Settings = {
  ...shared,
  searchableAttributes: ['name', 'address', 'city', 'mailing'],
  displayedAttributes: ['*'],
  filterableAttributes: [equality('state', 'source', 'parcel_key', 'cells'), equality(...ZONING_FIELDS)],
}

export const ENTITY_SETTINGS: Settings = {
  ...shared,
  searchableAttributes: ['name_normalized', 'registered_agent_name'],
  displayedAttributes: ['*'],
  filterableAttributes: [equality('jurisdiction')],
}

/** Raised when documents change their shape without a change of settings. */
const DOCUMENT_VERSION = 2

/** Changes with every change of the settings or the documents: an index built with another version is built anew. */
export const SETTINGS_VERSION = Bun.hash(JSON.stringify([DOCUMENT_VERSION, PARCEL_SETTINGS, ENTITY_SETTINGS])).toString(
  36,
)
