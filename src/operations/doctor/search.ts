import { type Meilisearch, MeilisearchApiError } from 'meilisearch'
import { describeSpan } from '../../../core/alerts/alert-rules'
import type { Sql } from '../../../core/postgres/database'
import { countNoun, formatCount } from '../../../core/text/count-noun'
import { countSearchRows } from '../../../drizzle/queries/search/search-documents'
import { SEARCH_WORK_KINDS, subjectOf } from '../../../drizzle/queries/search/search-index-work'
import { hasSyncLeader, measureQueue, type Queue } from '../../../drizzle/queries/search/search-outbox'
import { findRunningWork } from '../../../drizzle/queries/work/find-running-work'
import { findBuild, isUsable } from '../../../search/index/index-build'
import {
  connectMeilisearch,
  indexNames,
  type MeilisearchAddress,
  SETTINGS_VERSION,
} from '../../../search/index/indexes'
import type { Instance } from '../../../search/index/instances'
import { type Diagnosis, fault, hostOf, ok, warn } from './diagnosis'

const TESTED = '1.21'
const TIMEOUT_MS = 5_000
/** If changes are older than this, and none were sent for as long, no process sends them. */
const LATE_SECONDS = 60

export const examineMeilisearch = async (meili: MeilisearchAddress): Promise<Diagnosis[]> => {
  const client = connectMeilisearch(meili, TIMEOUT_MS)
  try {
    const { pkgVersion } = await client.getVersion()
    const what = `${pkgVersion} at ${hostOf(meili.url)}`
    return pkgVersion.startsWith(`${TESTED}.`)
      ? [ok('Meilisearch', what)]
      : [warn('Meilisearch', `${what}; the service is tested with ${TESTED}`, `run Meilisearch ${TESTED}`)]
  } catch (error) {
    const isRefused = error instanceof MeilisearchApiError && [401, 403].includes(error.response.status)
    if (!isRefused) throw error
    return [
      fault(
        'Meilisearch',
        'it refuses MEILI_MASTER_KEY',
        'set MEILI_MASTER_KEY to the master key that the server was started with',
      ),
    ]
  }
}

/** Whether Meilisearch has received changes of documents recently. */
const hasNewDocuments = async (client: Meilisearch): Promise<boolean> => {
  const afterEnqueuedAt = new Date(Date.now() - LATE_SECONDS * 1_000).toISOString()
  const types = ['documentAdditionOrUpdate', 'documentDeletion'] as const
  const { results } = await client.tasks.getTasks({ limit: 1, types: [...types], afterEnqueuedAt })
  return results.length > 0
}

/** Cheap: compares the numbers of rows and documents. `search:reindex --check` compares contents. */
export const examineIndex = async (sql: Sql, meili: Instance, queue: Queue): Promise<Diagnosis[]> => {
  const indexes = indexNames('')
  const client = connectMeilisearch(meili, TIMEOUT_MS)
  const built = await findBuild(client, indexes)
  if (!isUsable(built, meili.states)) {
    const isOld = built?.settings_version !== SETTINGS_VERSION
    const other = isOld ? 'it was built with settings of another version' : 'it lacks states that MEILI_URLS gives it'
    const what = built === null ? 'there is no index' : other
    const rebuild = await findRunningWork(sql, SEARCH_WORK_KINDS.rebuild)
    if (rebuild !== null) {
      const progress =
        rebuild.subject === subjectOf(queue)
          ? `it is being built: ${formatCount(rebuild.done)} of ${countNoun(rebuild.total ?? 0, 'document')}`
          : 'it is built after that of another instance'
      return [warn('search index', `${what}; ${progress}`, 'wait: the page Search index shows the progress')]
    }
    return [
      fault(
        'search index',
        what,
        'start the role sync, which builds it (bun start sync), or run bun run search:reindex',
      ),
    ]
  }
  const { depth: waiting, ageSeconds: late } = await measureQueue(sql, queue)
  if (late > LATE_SECONDS) {
    const what = `${countNoun(waiting, 'change waits', 'changes wait')} to be sent, the oldest for ${describeSpan(late)}`
    if ((await hasSyncLeader(sql, queue)) && (await hasNewDocuments(client)))
      return [warn('search index', `${what}; others are being sent`, 'wait: a large load takes some minutes')]
    return [fault('search index', what, 'check that a process has the role sync (bun start sync), and check its log')]
  }
  const [rows, { indexes: stats }] = await Promise.all([countSearchRows(sql, meili.states), client.getStats()])
  const documents = {
    parcels: stats[indexes.parcels]?.numberOfDocuments ?? 0,
    entities: stats[indexes.entities]?.numberOfDocuments ?? 0,
  }
  const difference = Math.abs(rows.parcels - documents.parcels) + Math.abs(rows.entities - documents.entities)
  const found = `${countNoun(documents.parcels, 'parcel')} and ${countNoun(documents.entities, 'entity', 'entities')}`
  const what = `${found}, the same as in the database`
  return difference > waiting
    ? [
        fault(
          'search index',
          `${found}; the database has ${rows.parcels} and ${rows.entities}`,
          'list and repair the differences: bun run search:reindex --check',
        ),
      ]
    : [ok('search index', waiting === 0 ? what : `${what}, except for ${countNoun(waiting, 'change')} being sent`)]
}
