import { connectMeilisearch, indexNames, type MeilisearchAddress } from './indexes'

/** An operator waits for it; a server that does not answer by then is as good as away. */
const TIMEOUT_MS = 2_000

/** How many documents the live indexes have; null when Meilisearch does not say. */
export const createDocumentCount = (meili: MeilisearchAddress, indexPrefix = ''): (() => Promise<number | null>) => {
  const client = connectMeilisearch(meili, TIMEOUT_MS)
  const { parcels, entities } = indexNames(indexPrefix)
  return async () => {
    try {
      const stats = await Promise.all([parcels, entities].map((uid) => client.index(uid).getStats()))
      return stats.reduce((sum, { numberOfDocuments }) => sum + numberOfDocuments, 0)
    } catch {
      return null
    }
  }
}
