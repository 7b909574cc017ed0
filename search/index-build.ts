import { type Meilisearch, MeilisearchApiError, type Settings } from 'meilisearch'
import { ServiceError } from '../src/service-error'
import { ENTITY_SETTINGS, type IndexNames, PARCEL_SETTINGS, SETTINGS_VERSION } from './indexes'

/** The one document of the meta index. Written last, so that it says what the live indexes are. */
const BUILD = 'build'

/** What the live indexes were built with; null when they were never built, or not to the end. */
export const findBuiltVersion = async (client: Meilisearch, indexes: IndexNames): Promise<string | null> => {
  try {
    const build = await client.index<{ id: string; settings_version: string }>(indexes.meta).getDocument(BUILD)
    return build.settings_version
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

const isNotFound = (error: unknown): boolean => error instanceof MeilisearchApiError && error.response.status === 404

/** Empty shadow indexes, with the settings of this code: settings first, so that documents are indexed once. */
export const createShadowIndexes = async (client: Meilisearch, indexes: IndexNames): Promise<void> => {
  const create = async (uid: string, settings: Settings): Promise<number[]> => {
    // Meilisearch takes tasks one after another: what is left of an earlier build is gone before the new one is made.
    await waitForTasks(client, [(await client.deleteIndex(uid)).taskUid], { mayFail: true })
    const created = await client.createIndex(uid, { primaryKey: 'id' })
    const set = await client.index(uid).updateSettings(settings)
    return [created.taskUid, set.taskUid]
  }
  await waitForTasks(client, [
    ...(await create(indexes.shadowParcels, PARCEL_SETTINGS)),
    ...(await create(indexes.shadowEntities, ENTITY_SETTINGS)),
  ])
}

export const hasLiveIndexes = async (client: Meilisearch, indexes: IndexNames): Promise<boolean> => {
  try {
    await Promise.all([client.getRawIndex(indexes.parcels), client.getRawIndex(indexes.entities)])
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Puts the shadow indexes in the place of the live ones, in one step for searches, and says so in the meta index. */
export const swapIndexes = async (client: Meilisearch, indexes: IndexNames): Promise<void> => {
  // Only what exists can be swapped. Creating what exists fails, and that is as good.
  const created = [
    await client.createIndex(indexes.parcels, { primaryKey: 'id' }),
    await client.createIndex(indexes.entities, { primaryKey: 'id' }),
  ]
  await waitForTasks(
    client,
    created.map(({ taskUid }) => taskUid),
    { mayFail: true },
  )
  const swapped = await client.swapIndexes([
    { indexes: [indexes.parcels, indexes.shadowParcels], rename: false },
    { indexes: [indexes.entities, indexes.shadowEntities], rename: false },
  ])
  await waitForTasks(client, [swapped.taskUid])
  const written = await client
    .index(indexes.meta)
    .addDocuments([{ id: BUILD, settings_version: SETTINGS_VERSION, built_at: new Date().toISOString() }], {
      primaryKey: 'id',
    })
  await waitForTasks(client, [written.taskUid])
  const deleted = [await client.deleteIndex(indexes.shadowParcels), await client.deleteIndex(indexes.shadowEntities)]
  await waitForTasks(
    client,
    deleted.map(({ taskUid }) => taskUid),
    { mayFail: true },
  )
}

/** The tasks that have ended well. Throws for one that failed. */
export const findEndedTasks = async (client: Meilisearch, uids: readonly number[]): Promise<Set<number>> => {
  const ended = new Set<number>()
  for (let start = 0; start < uids.length; start += 100) {
    const page = uids.slice(start, start + 100)
    const { results } = await client.tasks.getTasks({ uids: page, limit: page.length })
    for (const { uid, status, error } of results) {
      if (status === 'succeeded') ended.add(uid)
      else if (status === 'failed' || status === 'canceled') {
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
