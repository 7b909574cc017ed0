import { Elysia } from 'elysia'
import { pino } from 'pino'
import { connectDatabase } from '../../../../core/postgres/database'
import { upsertEntities } from '../../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { TIME_LIMITS } from '../../../../search/budget'
import { connectMeilisearch, indexNames, type MeilisearchAddress } from '../../../../search/index/indexes'
import { createSearch } from '../../../../search/search'
import { createSearchSync } from '../../../../search/sync/sync'
import { createAuthenticator } from '../../../../src/http/callers/authenticator'
import { searchRoutes } from '../../../../src/http/routes/search/search'
import { followDatasetVersion } from '../../../../src/parcels/dataset-version'
import type { Engine, Query } from '../engine'

const SOURCE = 'relevance'
const KEY = 'relevance-admin-key'
const SET_SIZE = 5_000
const MAX_LOADING_MS = 600_000
const MAX_DEGRADED_MS = 30_000

interface Body {
  corrected?: string
  results: Record<string, string | null>[]
}

/** The service: the search route of the API with its own empty database. `indexPrefix` is the prefix of its indexes. */
export const createOwnEngine = ({
  databaseUrl,
  meili,
  indexPrefix,
}: {
  databaseUrl: string
  meili: MeilisearchAddress
  indexPrefix: string
}): Engine => {
  const sql = connectDatabase(databaseUrl)
  const search = createSearch({ sql, meili, indexPrefix, limits: { ...TIME_LIMITS, wideningMs: 10_000 } })
  const authenticator = createAuthenticator(sql, new Map([[KEY, 'admin']]), { baseUrl: 'http://localhost' })
  const datasetVersion = followDatasetVersion(sql, { log: pino({ level: 'silent' }) })
  const app = new Elysia({ prefix: '/v1' }).use(searchRoutes({ search, authenticator, datasetVersion }))

  const ask = async ({ q, limit, kind = 'parcels', near }: Query): Promise<Body> => {
    const parameters = new URLSearchParams({
      q,
      limit: String(limit),
      types: kind === 'companies' ? 'entities' : 'parcels',
      ...(near === undefined ? {} : { lat: String(near.lat), lon: String(near.lon) }),
    })
    const deadline = Date.now() + MAX_DEGRADED_MS
    for (;;) {
      const response = await app.handle(
        new Request(`http://localhost/v1/search?${parameters}`, { headers: { 'x-service-key': KEY } }),
      )
      if (!response.ok) throw new Error(`"${q}": ${response.status} ${await response.text()}`)
      // On a busy machine, Meilisearch may be late. Answers of PostgreSQL must not be measured.
      if (!response.headers.has('warning')) return (await response.json()) as Body
      if (Date.now() > deadline) throw new Error(`"${q}": Meilisearch has not answered for ${MAX_DEGRADED_MS} ms`)
      await Bun.sleep(100)
    }
  }

  return {
    load: async ({ parcels, companies }) => {
      await sql`truncate parcels, entities cascade`
      const state = parcels.find(({ situsState }) => situsState != null)?.situsState ?? 'OR'
      await sql`
        insert into sources (source, state, county_name, vendor, base_url)
        values (${SOURCE}, ${state}, 'Relevance', 'pacs', 'https://example.com')
        on conflict (source) do update set state = excluded.state`
      await upsertEntities(sql, state, [...companies])
      for (let start = 0; start < parcels.length; start += SET_SIZE) {
        await upsertParcels(sql, SOURCE, parcels.slice(start, start + SET_SIZE))
      }
      await sql`vacuum analyze parcels, entities`
      const sync = createSearchSync({ databaseUrl, meili, indexPrefix })
      sync.start()
      try {
        await sync.drain(MAX_LOADING_MS)
      } finally {
        await sync.stop()
      }
      await search.refreshVocabulary()
    },
    search: async (query) => {
      const { results } = await ask(query)
      return results.map(({ source_parcel_id, registry_number }) => source_parcel_id ?? registry_number ?? '')
    },
    correct: async (q) => (await ask({ q, limit: 1 })).corrected ?? null,
    stop: async () => {
      await Promise.all([authenticator.stop(), datasetVersion.stop()])
      const client = connectMeilisearch(meili)
      await Promise.all(Object.values(indexNames(indexPrefix)).map((name) => client.deleteIndexIfExists(name)))
      await sql.end({ timeout: 1 })
    },
  }
}
