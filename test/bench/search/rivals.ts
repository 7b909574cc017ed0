import type { Sql } from '../../../core/postgres/database'
import { connectMeilisearch, type MeilisearchAddress } from '../../../search/index/indexes'
import type { Query } from '../relevance/engine'
import { type BenchService, RAW_INDEXES } from './servers'

/** `options`: parameters of the service (`group`, filters), which its rivals do not have. They search only for the text. */
export type SpeedQuery = Omit<Query, 'limit'> & { options?: Record<string, string> }
/** The fields of the hits to compare, best hit first. */
export type Answer = { ownerName: string | null; situsAddress: string | null; sourceParcelId?: string }[]
/** Requests `limit` hits from one engine. */
export type Ask = (item: SpeedQuery, limit: number) => Promise<Answer>

/** One query with default settings, which ignore location. */
export const askRaw = (meili: MeilisearchAddress): Ask => {
  const client = connectMeilisearch(meili)
  return async ({ q, kind }, limit) => {
    const index = client.index<Record<string, string>>(
      kind === 'companies' ? RAW_INDEXES.entities : RAW_INDEXES.parcels,
    )
    const { hits } = await index.search(q, { limit })
    return hits.map((hit) => ({
      ownerName: hit.ownerName ?? hit.name ?? null,
      situsAddress: hit.situsAddress ?? null,
      sourceParcelId: hit.sourceParcelId ?? '',
    }))
  }
}

export const askTrigrams =
  (sql: Sql): Ask =>
  ({ q, kind }, limit) =>
    kind === 'companies'
      ? sql`select name as "ownerName", null as "situsAddress" from entities where name % ${q}
          order by similarity(name, ${q}) desc limit ${limit}`
      : sql`select owner_name as "ownerName", situs_address as "situsAddress", source_parcel_id as "sourceParcelId" from parcels
          where owner_name % ${q} or situs_address % ${q}
          order by greatest(similarity(owner_name, ${q}) * 3, similarity(situs_address, ${q}) * 2,
            similarity(situs_city, ${q}) * 1.5) desc limit ${limit}`

/** The service, over HTTP. `typesOf` selects what to search: relevance is measured per kind, speed over all kinds. */
export const askService =
  (service: BenchService, typesOf: (item: SpeedQuery) => string): Ask =>
  async (item, limit) => {
    const near = item.near === undefined ? {} : { lat: String(item.near.lat), lon: String(item.near.lon) }
    const parameters = { q: item.q, limit: String(limit), types: typesOf(item), ...near, ...item.options }
    const { body } = await service.search(parameters)
    return body.results.map((hit) => ({
      ownerName: hit.owner_name ?? hit.name ?? null,
      situsAddress: hit.situs_address ?? null,
      sourceParcelId: hit.source_parcel_id ?? '',
    }))
  }
