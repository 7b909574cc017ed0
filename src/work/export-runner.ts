import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { atMostEvery } from '../../core/concurrency/at-most-every'
import { runEach } from '../../core/concurrency/run-each'
import { ServiceError } from '../../core/service-error'
import { sumExportBytes } from '../../drizzle/queries/exports/exports'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import type { ExportRequest } from '../exports/export-request'
import type { ExportStore } from '../exports/export-store'
import { fileTypeOf } from '../exports/file-type'
import { runExport } from '../exports/run-export'
import { removeExpiredFiles, removeOldWork } from '../exports/sweep-files'
import type { WorkRunner } from './runner'

export interface ExportRunnerDeps {
  databaseUrl: string
  databaseReadUrls?: readonly string[]
  store: ExportStore
  /** For temporary files. */
  workDir: string
  /** Maximum bytes of all files together. */
  maxBytes: number
  log: Logger
}

/** An export keeps one core busy, and PostgreSQL another. */
const MAX_AT_ONCE = 1
const PROGRESS_EVERY_MS = 1_000
const SWEEP_EVERY_MS = 10 * 60_000
/** Waits between attempts to store a file. Writing it again could take an hour. */
const STORE_RETRY_MS = [1_000, 5_000, 15_000, 30_000, 60_000]

/**
 * Writes exports to files. A file is stored under the name of its attempt, after it is complete. It belongs to the export only when the
 * work is done, so a lost attempt leaves nothing readable, and the next one starts from the beginning.
 */
export const createExportRunner = ({
  databaseUrl,
  databaseReadUrls = [],
  store,
  workDir,
  maxBytes,
  log,
}: ExportRunnerDeps): WorkRunner => {
  const isSweepDue = atMostEvery(SWEEP_EVERY_MS)
  return {
    kind: WORK_KINDS.parcelExport,
    mostAtOnce: MAX_AT_ONCE,
    mostFailures: 3,
    sweep: async () => {
      if (!isSweepDue()) return
      const removeExpired = async () => {
        const removed = await removeExpiredFiles(store)
        if (removed > 0) log.info({ removed }, 'expired files of exports were removed')
      }
      await runEach([removeExpired, () => removeOldWork(workDir)], (step) => step()).catch((error) =>
        log.warn({ err: error }, 'expired files of exports could not be removed'),
      )
    },
    run: async ({ id, attempt, payload }, { sql, signal, advance }) => {
      const { format, gzip, fields, geometry, parcel_filter: filter, place = null } = payload
      const request = { format, gzip, fields, geometry, filter, place } as ExportRequest
      const { extension, mediaType } = fileTypeOf(request)
      const name = `${id}-${attempt}${extension}`
      const folder = join(workDir, name)
      await mkdir(folder, { recursive: true })
      let last = { done: 0, total: null as number | null }
      let recording: Promise<void> = Promise.resolve()
      const timer = setInterval(() => {
        recording = advance(last).catch(() => {})
      }, PROGRESS_EVERY_MS)
      try {
        const path = join(folder, name)
        const room = maxBytes - (await sumExportBytes(sql))
        const written = await runExport(
          { databaseUrl, databaseReadUrls, request, path, workDir: folder, maxBytes: room },
          {
            signal,
            onProgress: (done, total) => {
              last = { done, total }
            },
          },
        )
        clearInterval(timer)
        await recording
        signal.throwIfAborted()
        await putPatiently(() => store.put(name, path, mediaType), signal)
        const { rows, sizeBytes, sha256, dataset_version, licenses } = written
        await advance({ done: rows, total: rows })
        return { file: name, media_type: mediaType, size_bytes: sizeBytes, sha256, dataset_version, licenses }
      } finally {
        clearInterval(timer)
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

/** @throws what `put` throws, and the signal's reason */
const putPatiently = async (put: () => Promise<void>, signal: AbortSignal): Promise<void> => {
  for (const delayMs of STORE_RETRY_MS) {
    try {
      return await put()
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'server_unavailable')) throw error
    }
    await setTimeout(delayMs, undefined, { signal })
  }
  return put()
}
