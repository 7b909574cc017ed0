import type { StateSet } from '../../core/state-set'
import type { Queue } from '../../drizzle/queries/search/search-outbox'
import { connectMeilisearch, indexNames } from './indexes'
import { listInstances, type Meilisearches, nameInstance } from './instances'

/** A server that does not answer within this time counts as down. An operator is waiting for the number. */
const TIMEOUT_MS = 2_000

/** An instance of Meilisearch with an index, as operators see it. */
export interface IndexedInstance {
  /** Host and port. */
  name: string
  states: StateSet
  queue: Queue
  /** The number of documents in its live indexes; null when it does not answer. */
  countDocuments: () => Promise<number | null>
}

export const listIndexedInstances = (meili: Meilisearches, indexPrefix = ''): IndexedInstance[] => {
  const { parcels, entities } = indexNames(indexPrefix)
  return listInstances(meili).map((instance, _, { length }) => {
    const client = connectMeilisearch(instance, TIMEOUT_MS)
    const name = nameInstance(instance)
    return {
      name,
      states: instance.states,
      queue: length > 1 ? name : null,
      countDocuments: async () => {
        try {
          const stats = await Promise.all([parcels, entities].map((uid) => client.index(uid).getStats()))
          return stats.reduce((sum, { numberOfDocuments }) => sum + numberOfDocuments, 0)
        } catch {
          return null
        }
      },
    }
  })
}
