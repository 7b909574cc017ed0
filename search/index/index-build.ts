import { type Meilisearch, MeilisearchApiError, type Settings } from 'meilisearch'
import { ServiceError } from '../../core/service-error'
import type { Enqueue } from '../sync/context'
import { ENTITY_SETTINGS, type IndexNames, PARCEL_SETTINGS, SETTINGS_VERSION } from './indexes'

/** The one document of the meta index. Written last, so that it says what the live indexes are. */
const BUILD = 'build'

interface Build {
  id: string
  settings_version: string
  /** By the clock of Meilisearch. */
  built_at: string
}

/**
 * What the live indexes were built with; null when they were never built, or not to the end, or are not the ones that were built:
 * Meilisearch makes an index that is gone again, without settings, when the next document arrives.
 */
export const findBuiltVersion = async (client: Meilisearch, indexes: IndexNames): Promise<string | null> => {
  try {
    const [build, ...live] = await Promise.all([
      client.index<Build>(indexes.meta).getDocument(BUILD),
      client.getRawIndex(indexes.parcels),
      client.getRawIndex(indexes.entities),
    ])
    const builtAt = new Date(build.built_at)
    return live.every(({ createdAt }) => new Date(createdAt) <= builtAt) ? build.settings_version : null
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

const isNotFound = (error: unknown): boolean => error instanceof MeilisearchApiError && error.response.status === 404

/** Empty shadow indexes, with the settings of this code: settings first, so that documents are indexed once. */
export const createShadowIndexes = async (
  enqueue: Enqueue,
  client: Meilisearch,
  indexes: IndexNames,
): Promise<void> => {
  const create = async (uid: string, settings: Settings): Promise<number[]> => {
    // Meilisearch takes tasks one after another: what is left of an earlier build is gone before the new one is made.
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

/** Puts the shadow indexes in the place of the live ones, in one step for searches, and says so in the meta index. */
export const swapIndexes = async (enqueue: Enqueue, client: Meilisearch, indexes: IndexNames): Promise<void> => {
  // Only what exists can be swapped. Creating what exists fails, and that is as good.
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
  }
  const written = await enqueue((to) => to.index<Build>(indexes.meta).addDocuments([build], { primaryKey: 'id' }))
  await waitForTasks(client, [written])
  await dropShadowIndexes(enqueue, client, indexes)
}

/** Removes what the live indexes were before a swap, or what a rebuild that was cut off has left. */
export const dropShadowIndexes = async (enqueue: Enqueue, client: Meilisearch, indexes: IndexNames): Promise<void> => {
  const deleted: number[] = []
  for (const uid of [indexes.shadowParcels, indexes.shadowEntities]) {
    if (await exists(client, uid)) deleted.push(await enqueue((to) => to.deleteIndex(uid)))
  }
  await waitForTasks(client, deleted, { mayFail: true })
}

/** Tasks that have ended, by their number. `refusal`: why Meilisearch would not have what was sent; null when it went well. */
export type EndedTasks = ReadonlyMap<number, { refusal: string | null }>

/** Says of each task that has ended whether it went well, or that Meilisearch refused what was sent. Throws for any other failure. */
export const findEndedTasks = async (client: Meilisearch, uids: readonly number[]): Promise<EndedTasks> => {
  const ended = new Map<number, { refusal: string | null }>()
  for (let start = 0; start < uids.length; start += 100) {
    const page = uids.slice(start, start + 100)
    const { results } = await client.tasks.getTasks({ uids: page, limit: page.length })
    for (const { uid, status, error } of results) {
      if (status === 'succeeded') ended.set(uid, { refusal: null })
      // What is wrong with the server (a full disk, an index that is gone) is no fault of the document.
      else if (status === 'failed' && error?.type === 'invalid_request' && error.code !== 'index_not_found') {
        ended.set(uid, { refusal: error.message })
      } else if (status === 'failed' || status === 'canceled') {
        throw new ServiceError('search_unavailable', `Meilisearch task ${uid} ${status}: ${error?.message ?? ''}`)
      }
    }
    // A task that is not known any more belongs to a server whose data is gone.
    if (results.length < page.length) throw new ServiceError('search_unavailable', 'Meilisearch forgot a task')
  }
  return ended
}

/** Waits until all tasks have ended, for as long as Meilisearch answers. */
export const waitForTasks = async (
  client: Meilisearch,
  uids: readonly number[],
  { mayFail = false } = {},
): Promise<void> => {
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
