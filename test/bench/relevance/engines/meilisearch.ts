import type { Settings } from 'meilisearch'
import { connectMeilisearch, type MeilisearchAddress } from '../../../../search/index/indexes'
import type { Engine } from '../engine'

const INDEXES = { parcels: 'relevance_raw_parcels', companies: 'relevance_raw_companies' } as const
const BATCH = 10_000

/** What one would configure without knowing more about parcels: the searched fields, most important first, and the place. */
const SETTINGS: Record<keyof typeof INDEXES, Settings> = {
  parcels: {
    searchableAttributes: ['owner', 'address', 'city', 'zip', 'parcel_id', 'other_owners', 'state', 'mailing'],
    sortableAttributes: ['_geo'],
  },
  companies: { searchableAttributes: ['name', 'agent'] },
}

/** Meilisearch without the service: the records as they are, its own ranking rules and typo tolerance. */
export const createMeilisearchEngine = (address: MeilisearchAddress): Engine => {
  const client = connectMeilisearch(address, 600_000)
  return {
    load: async ({ parcels, companies }) => {
      const documents = {
        parcels: parcels.map((parcel, key) => ({
          key,
          parcel_id: parcel.sourceParcelId,
          owner: parcel.ownerName,
          other_owners: parcel.ownerNamesAll,
          address: parcel.situsAddress,
          city: parcel.situsCity,
          state: parcel.situsState,
          zip: parcel.situsZip,
          mailing: parcel.ownerMailingAddress,
          ...(parcel.bbox == null ? {} : { _geo: { lng: parcel.bbox[0], lat: parcel.bbox[1] } }),
        })),
        companies: companies.map(({ registryNumber, name, registeredAgentName }, key) => ({
          key,
          parcel_id: registryNumber,
          name,
          agent: registeredAgentName,
        })),
      }
      for (const name of ['parcels', 'companies'] as const) {
        const uid = INDEXES[name]
        await client.deleteIndexIfExists(uid)
        await client.createIndex(uid, { primaryKey: 'key' })
        let task = await client.index(uid).updateSettings(SETTINGS[name])
        for (let start = 0; start < documents[name].length; start += BATCH) {
          task = await client.index(uid).addDocuments(documents[name].slice(start, start + BATCH))
        }
        const done = await client.tasks.waitForTask(task.taskUid, { timeout: 600_000, interval: 50 })
        if (done.status !== 'succeeded') throw new Error(`Meilisearch did not load the ${name}: ${done.error?.message}`)
      }
    },
    search: async ({ q, limit, kind = 'parcels', near }) => {
      const { hits } = await client.index<{ parcel_id: string }>(INDEXES[kind]).search(q, {
        limit,
        attributesToRetrieve: ['parcel_id'],
        ...(near === undefined ? {} : { sort: [`_geoPoint(${near.lat}, ${near.lon}):asc`] }),
      })
      return hits.map((hit) => hit.parcel_id)
    },
    stop: async () => {
      await Promise.all(Object.values(INDEXES).map((uid) => client.deleteIndexIfExists(uid)))
    },
  }
}
