import { connectMeilisearch, indexNames, type MeilisearchAddress } from './indexes'

/** A server that does not answer within this time counts as down. An operator is waiting for the number. */
const TIMEOUT_MS = 2_000

/** The number of documents in the live indexes; null when Meilisearch does not answer. */
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
