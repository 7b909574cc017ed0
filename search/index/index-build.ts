import { type Meilisearch, MeilisearchApiError, type Settings } from 'meilisearch'
import { ServiceError } from '../../core/service-error'
import { ALL_STATES, hasNoStates, type StateSet, subtractStates } from '../../core/state-set'
import type { Enqueue } from '../sync/context'
import { ENTITY_SETTINGS, type IndexNames, PARCEL_SETTINGS, SETTINGS_VERSION } from './indexes'

/** A document of the meta index. A rebuild writes it last. It describes the live indexes. */
const BUILD = 'build'

/** The other document of the meta index. */
const DATASET = 'dataset'

/** Records the version of the record (drizzle/schema/parcels/parcel-changes.ts) that the live indexes reflect. */
export const writeDatasetVersion = (enqueue: Enqueue, indexes: IndexNames, version: number): Promise<number> =>
  enqueue((to) =>
    to
      .index<{ id: string; version: number }>(indexes.meta)
      .addDocuments([{ id: DATASET, version }], { primaryKey: 'id' }),
  )

export interface Build {
  id: string
  settings_version: string
  /** Meilisearch's clock. */
  built_at: string
  /** The states in the indexes. Missing in indexes that an older version built: they have all. */
  states?: StateSet
}

/**
 * How the live indexes were built. Null: they were never built, only partly built, or recreated later. Meilisearch recreates a deleted
 * index without settings when the next document arrives.
 */
export const findBuild = async (client: Meilisearch, indexes: IndexNames): Promise<Build | null> => {
  try {
    const [build, ...live] = await Promise.all([
      client.index<Build>(indexes.meta).getDocument(BUILD),
      client.getRawIndex(indexes.parcels),
      client.getRawIndex(indexes.entities),
    ])
    const builtAt = new Date(build.built_at)
    return live.every(({ createdAt }) => new Date(createdAt) <= builtAt) ? build : null
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

/** Whether this code can use the live indexes, and they have at least these states. */
export const isUsable = (build: Build | null, states: StateSet): boolean =>
  build?.settings_version === SETTINGS_VERSION && hasNoStates(subtractStates(states, build.states ?? ALL_STATES))

/** Deletes the documents of other states from the live indexes. Returns the Meilisearch task ids. */
export const deleteOtherStates = async (
  enqueue: Enqueue,
  indexes: IndexNames,
  { codes, isExcept }: StateSet,
): Promise<number[]> => {
  // Quoted, because OR is an operator of filters.
  const others = `${isExcept ? '' : 'NOT '}IN [${codes.map((code) => `"${code}"`).join(', ')}]`
  return [
    await enqueue((to) => to.index(indexes.parcels).deleteDocuments({ filter: `state ${others}` })),
    await enqueue((to) => to.index(indexes.entities).deleteDocuments({ filter: `jurisdiction ${others}` })),
  ]
}

/** Records which states the live indexes have. */
export const writeStates = (enqueue: Enqueue, indexes: IndexNames, build: Build, states: StateSet): Promise<number> =>
  enqueue((to) => to.index<Build>(indexes.meta).addDocuments([{ ...build, states }], { primaryKey: 'id' }))

const isNotFound = (error: unknown): boolean => error instanceof MeilisearchApiError && error.response.status === 404

/** Empty shadow indexes with this code's settings. Settings come first, so that documents are indexed once. */
export const createShadowIndexes = async (
  enqueue: Enqueue,
  client: Meilisearch,
  indexes: IndexNames,
): Promise<void> => {
  const create = async (uid: string, settings: Settings): Promise<number[]> => {
    // Meilisearch runs tasks in order: the remains of an earlier build are deleted before the new index is created.
    await waitForTasks(client, [await enqueue((to) => to.deleteIndex(uid))], { mayFail: true })
    return [
      await enqueue((to) => to.createIndex(uid, { primaryKey: 'id' })),
      await enqueue((to) => to.index(uid).updateSettings(settings)),
    ]
  }
  await waitForTasks(client, [
    ...(await create(indexes.shadowParcels, PARCEL_SETTINGS)),
    ...(await create(indexes.shadowEntities, ENTITY_SETTINGS)),
  ])
}

export const hasLiveIndexes = async (client: Meilisearch, indexes: IndexNames): Promise<boolean> =>
  (await exists(client, indexes.parcels)) && (await exists(client, indexes.entities))

const exists = async (client: Meilisearch, uid: string): Promise<boolean> => {
  try {
    await client.getRawIndex(uid)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Swaps the shadow indexes with the live ones, atomically for searches, and records it in the meta index. */
export const swapIndexes = async (
  enqueue: Enqueue,
  client: Meilisearch,
  indexes: IndexNames,
  states: StateSet,
): Promise<void> => {
  // Only existing indexes can be swapped. Creating an existing one fails, which is fine.
  const created = [
    await enqueue((to) => to.createIndex(indexes.parcels, { primaryKey: 'id' })),
    await enqueue((to) => to.createIndex(indexes.entities, { primaryKey: 'id' })),
  ]
  await waitForTasks(client, created, { mayFail: true })
  const swapped = await enqueue((to) =>
    to.swapIndexes([
      { indexes: [indexes.parcels, indexes.shadowParcels], rename: false },
      { indexes: [indexes.entities, indexes.shadowEntities], rename: false },
    ]),
  )
  await waitForTasks(client, [swapped])
  const { finishedAt } = await client.tasks.getTask(swapped)
  const build: Build = {
    id: BUILD,
    settings_version: SETTINGS_VERSION,
    built_at: finishedAt ?? new Date().toISOString(),
    states,
  }
  const written = await enqueue((to) => to.index<Build>(indexes.meta).addDocuments([build], { primaryKey: 'id' }))
  await waitForTasks(client, [written])
  await dropShadowIndexes(enqueue, client, indexes)
}

/** Deletes the indexes that were live before a swap, or the remains of an interrupted rebuild. */
export const dropShadowIndexes = async (enqueue: Enqueue, client: Meilisearch, indexes: IndexNames): Promise<void> => {
  const deleted: number[] = []
  for (const uid of [indexes.shadowParcels, indexes.shadowEntities]) {
    if (await exists(client, uid)) deleted.push(await enqueue((to) => to.deleteIndex(uid)))
  }
  await waitForTasks(client, deleted, { mayFail: true })
}

/** Finished tasks by uid. `refusal`: why Meilisearch refused the document; null when the task succeeded. */
export type EndedTasks = ReadonlyMap<number, { refusal: string | null }>

/** Returns for each finished task whether it succeeded or Meilisearch refused its documents. Throws for any other failure. */
export const findEndedTasks = async (client: Meilisearch, uids: readonly number[]): Promise<EndedTasks> => {
  const ended = new Map<number, { refusal: string | null }>()
  for (let start = 0; start < uids.length; start += 100) {
    const page = uids.slice(start, start + 100)
    const { results } = await client.tasks.getTasks({ uids: page, limit: page.length })
    for (const { uid, status, error } of results) {
      if (status === 'succeeded') ended.set(uid, { refusal: null })
      // A server problem (a full disk, a missing index) is not the document's fault.
      else if (status === 'failed' && error?.type === 'invalid_request' && error.code !== 'index_not_found') {
        ended.set(uid, { refusal: error.message })
      } else if (status === 'failed' || status === 'canceled') {
        throw new ServiceError('search_unavailable', `Meilisearch task ${uid} ${status}: ${error?.message ?? ''}`)
      }
    }
    // If a task is unknown, the server has lost its data.
    if (results.length < page.length) throw new ServiceError('search_unavailable', 'Meilisearch forgot a task')
  }
  return ended
}

/** Waits until all tasks have finished, as long as Meilisearch answers. */
const waitForTasks = async (client: Meilisearch, uids: readonly number[], { mayFail = false } = {}): Promise<void> => {
  if (uids.length === 0) return
  for (let pauseMs = 5; ; pauseMs = Math.min(100, pauseMs * 1.5)) {
    const { results } = await client.tasks.getTasks({ uids: [...uids], limit: uids.length })
    const failed = results.find(({ status }) => status === 'failed' || status === 'canceled')
    if (failed !== undefined && !mayFail) {
      throw new ServiceError('search_unavailable', `Meilisearch task ${failed.uid} failed: ${failed.error?.message}`)
    }
    if (results.every(({ status }) => status !== 'enqueued' && status !== 'processing')) return
    await Bun.sleep(pauseMs)
  }
}
