import { runEach } from '../../core/concurrency/run-each'
import { removeOld } from '../../core/files/remove-old'
import { FILE_DAYS } from '../../drizzle/queries/exports/exports'
import type { ExportStore } from './export-store'

const DAY_MS = 24 * 60 * 60 * 1000
/** If an export is stored at the end of its attempt, its file is older than its row. */
const SLACK_MS = 60 * 60 * 1000
/** `<id of the export>-<attempt>.<extension>` */
const EXPORT_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+\.[a-z.]+$/

/**
 * Removes expired files. Also removes old files that no export refers to, because their attempt was lost after they were stored.
 * Everything else in the store stays. Returns how many it removed.
 *
 * @throws the first error, after all files
 */
export const removeExpiredFiles = async (store: ExportStore): Promise<number> => {
  const oldest = Date.now() - FILE_DAYS * DAY_MS - SLACK_MS
  const expired = (await store.list()).filter(
    ({ key, storedAt }) => EXPORT_NAME.test(key) && storedAt.getTime() < oldest,
  )
  await runEach(expired, ({ key }) => store.remove(key))
  return expired.length
}

/** Removes files that killed processes left in the folder for temporary files. @throws as `removeOld` */
export const removeOldWork = (workDir: string): Promise<void> => removeOld(workDir, DAY_MS)
