import { connectDatabase } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { type RejectedRecord, replaceRejects } from '../../drizzle/queries/work/add-rejects'
import { ingestParcels } from '../ingest/ingest'
import { type IngestSummary, WIDTH } from '../ingest/pipeline'
import type { FilePreview } from '../ingest/preview/file-preview'
import { previewFile } from '../ingest/preview/preview-file'
import { RejectReasons } from '../ingest/preview/reject-reasons'
import { type FileSettings, isComplete, toReadingOptions } from './file-settings'

/*
 * The thread that reads one file, to preview it or to load it, so that the size of a file never holds the event loop of the process. The
 * first message is the task; `stop` ends a load before its end, and what is staged of it is discarded.
 */
declare const self: Worker

export interface LoadTask {
  kind: 'load'
  workId: string
  databaseUrl: string
  source: string
  path: string
  settings: FileSettings
  asOf: string | null
  createdBy: string
}

export interface PreviewTask {
  kind: 'preview'
  path: string
  settings: FileSettings
}

export type FileTask = LoadTask | PreviewTask

export type FromFileThread =
  | { kind: 'progress'; bytes: number }
  | { kind: 'said'; line: string }
  | { kind: 'loaded'; summary: IngestSummary; rejects: FilePreview['rejects'] }
  | { kind: 'previewed'; preview: FilePreview }
  | { kind: 'failed'; code: string | null; message: string; stack: string }

const PROGRESS_EVERY_MS = 250
/** Rejected rows that are stored, for a download. */
const MAX_STORED_REJECTS = 10_000

const post = (message: FromFileThread) => self.postMessage(message)
const stop = new AbortController()

let reportedAt = 0
const onProgress = (bytes: number): void => {
  if (performance.now() < reportedAt + PROGRESS_EVERY_MS) return
  reportedAt = performance.now()
  post({ kind: 'progress', bytes })
}

const load = async ({ workId, databaseUrl, source, path, settings, asOf, createdBy }: LoadTask): Promise<void> => {
  const sql = connectDatabase(databaseUrl, { max: WIDTH, applicationName: 'ingest' })
  const reasons = new RejectReasons()
  const stored: RejectedRecord[] = []
  const rejects = {
    add: (place: string, reason: string, id: string) => {
      reasons.add(place, reason, id)
      if (stored.length < MAX_STORED_REJECTS) stored.push({ what: id, place, reason })
    },
  }
  try {
    const summary = await ingestParcels(sql, source, {
      ...toReadingOptions(settings),
      ...{ file: path, isComplete: isComplete(settings), asOf, createdBy, rejectsFile: null, rejects },
      ...{ onProgress, signal: stop.signal, say: (line: string) => post({ kind: 'said', line }) },
    })
    await replaceRejects(sql, workId, stored)
    post({ kind: 'loaded', summary, rejects: reasons.list() })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const preview = async ({ path, settings }: PreviewTask): Promise<void> => {
  const options = { ...toReadingOptions(settings), onProgress, signal: stop.signal }
  post({ kind: 'previewed', preview: await previewFile(path, options) })
}

self.onmessage = async ({ data }: MessageEvent<FileTask | 'stop'>) => {
  if (data === 'stop') return stop.abort()
  try {
    await (data.kind === 'load' ? load(data) : preview(data))
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    post({ kind: 'failed', code: error instanceof ServiceError ? error.code : null, message, stack })
  }
}
