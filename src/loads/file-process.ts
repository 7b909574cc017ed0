import { toMessage } from '../../core/bounds'
import { atMostEvery } from '../../core/concurrency/at-most-every'
import { serveTask } from '../../core/concurrency/tasks'
import { connectDatabase } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { type RejectedRecord, replaceRejects } from '../../drizzle/queries/work/add-rejects'
import { ingestParcels } from '../ingest/ingest'
import type { IngestSummary } from '../ingest/pipeline/summary'
import type { FilePreview } from '../ingest/preview/file-preview'
import { previewFile, previewUnread } from '../ingest/preview/preview-file'
import { RejectReasons } from '../ingest/preview/reject-reasons'
import { UnknownEncoding, UnknownLayer } from '../ingest/rows/unreadable-file'
import { WIDTH } from '../ingest/writing/batches'
import { type FileSettings, isComplete, toReadingOptions } from './file-settings'

/*
 * The process that reads one file, to preview or to load it. If it is stopped, the staged records of a load are discarded. If it is
 * killed, another worker discards them.
 */
export interface FileTask {
  report: { bytes: number } | { line: string }
}

export interface LoadTask extends FileTask {
  task: {
    kind: 'load'
    workId: string
    databaseUrl: string
    source: string
    path: string
    settings: FileSettings
    asOf: string | null
    createdBy: string
  }
  result: { summary: IngestSummary; rejects: FilePreview['rejects'] }
}

export interface PreviewTask extends FileTask {
  task: { kind: 'preview'; path: string; settings: FileSettings }
  result: { preview: FilePreview }
}

const PROGRESS_EVERY_MS = 250
/** Maximum rejected rows that are stored for a download. */
const MAX_STORED_REJECTS = 10_000

interface Context {
  signal: AbortSignal
  report: (report: FileTask['report']) => void
}

const createProgress = (report: Context['report']) => {
  const isDue = atMostEvery(PROGRESS_EVERY_MS)
  return (bytes: number): void => {
    if (isDue()) report({ bytes })
  }
}

const load = async (
  { workId, databaseUrl, source, path, settings, asOf, createdBy }: LoadTask['task'],
  { signal, report }: Context,
): Promise<LoadTask['result']> => {
  const sql = connectDatabase(databaseUrl, { max: WIDTH, applicationName: 'ingest', probed: true })
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
      file: path,
      isComplete: isComplete(settings),
      asOf,
      createdBy,
      rejectsFile: null,
      rejects,
      onProgress: createProgress(report),
      signal,
      say: (line: string) => report({ line }),
    })
    await replaceRejects(sql, workId, stored)
    return toStorable({ summary, rejects: reasons.list() })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const preview = async (
  { path, settings }: PreviewTask['task'],
  { signal, report }: Context,
): Promise<PreviewTask['result']> => {
  const options = { ...toReadingOptions(settings), onProgress: createProgress(report), signal }
  const preview = await previewFile(path, options).catch((error) => {
    if (error instanceof UnknownLayer || error instanceof UnknownEncoding) return previewUnread(error)
    throw error
  })
  const { crs, error, warnings } = preview
  return toStorable({
    preview: {
      ...preview,
      crs: { ...crs, question: crs.question && inSettings(crs.question) },
      error: error && inSettings(error),
      warnings: warnings.map(inSettings),
    },
  })
}

/** A message with the names of settings in place of options of the command line. */
const inSettings = (message: string): string =>
  message
    .replaceAll('--boundary COLUMN', '`boundary_column`')
    .replaceAll('--crs EPSG:CODE', '`crs`')
    .replaceAll(/--(crs|encoding|format|layer|map)\b/g, '`$1`')

/** @throws ServiceError with the names of settings */
const sayInSettings = (error: unknown): never => {
  if (!(error instanceof ServiceError)) throw error
  throw new ServiceError(error.code, inSettings(error.message), { cause: error })
}

/** Its texts, such as column names and samples, as PostgreSQL can store them. Names and values of a file can have any length. */
const toStorable = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === 'string' ? toMessage(item) : item)))

serveTask<LoadTask | PreviewTask>((task, context) =>
  (task.kind === 'load' ? load(task, context) : preview(task, context)).catch(sayInSettings),
)
