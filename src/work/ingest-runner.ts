import type { Logger } from 'pino'
import { RETRYABLE, ScrapeError } from '../../adapters/scrape-error'
import { atMostEvery } from '../../core/concurrency/at-most-every'
import { ServiceError } from '../../core/service-error'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import { type FileDeps, type FilePlace, removeOldFiles } from '../loads/fetch-file'
import type { FileSettings } from '../loads/file-settings'
import { type FileOrder, loadFile, lookAtFile } from '../loads/load-file'
import type { WorkRunner } from './runner'

export interface FileRunnerDeps extends FileDeps {
  log: Logger
}

/** A load keeps one core busy, and PostgreSQL another. */
const MAX_AT_ONCE = 1
const MAX_FAILURES = 5
const SWEEP_EVERY_MS = 3_600_000

/** Loads files. If an attempt is lost, the runner of loads ends its load, and the next attempt reads the file again. */
export const createIngestRunner = ({ log, ...deps }: FileRunnerDeps): WorkRunner => {
  const isSweepDue = atMostEvery(SWEEP_EVERY_MS)
  return {
    kind: WORK_KINDS.ingest,
    mostAtOnce: MAX_AT_ONCE,
    mostFailures: MAX_FAILURES,
    isWorthRetrying,
    sweep: async () => {
      if (!isSweepDue()) return
      await removeOldFiles(deps.workDir).catch((error) =>
        log.warn({ err: error }, 'old downloaded files could not be removed'),
      )
    },
    run: async ({ id, payload, source, requestedBy }, { sql, signal, advance }) => {
      if (source === null) throw new Error('a file is loaded without a source')
      const order = payload as unknown as FileOrder
      const createdBy = requestedBy ?? 'scheduler'
      return loadFile(sql, { workId: id, source, order, createdBy }, deps, { signal, log, advance })
    },
  }
}

/** Previews files before they are loaded. */
export const createPreviewRunner = ({ log, ...deps }: FileRunnerDeps): WorkRunner => ({
  kind: WORK_KINDS.preview,
  mostAtOnce: MAX_AT_ONCE,
  mostFailures: MAX_FAILURES,
  run: async ({ payload }, { sql, signal, advance }) => {
    const order = payload as unknown as FilePlace & { settings: FileSettings }
    return { ...(await lookAtFile(sql, order, deps, { signal, log, advance })) }
  },
})

const isWorthRetrying = (error: unknown): boolean =>
  error instanceof ScrapeError
    ? RETRYABLE[error.code]
    : error instanceof ServiceError && (error.code === 'network' || error.code === 'server_unavailable')
