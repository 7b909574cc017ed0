import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import { atMostEvery } from '../../core/concurrency/at-most-every'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { countNoun } from '../../core/text/count-noun'
import { findEarlierLoad } from '../../drizzle/queries/loads/stored-load'
import { findLoadedFile, noteLoadedFile, noteUnchangedFile } from '../../drizzle/queries/sources/loaded-files'
import type { IngestSummary } from '../ingest/pipeline/summary'
import type { FilePreview } from '../ingest/preview/file-preview'
import { type FetchedFile, type FileDeps, type FilePlace, fetchFile } from './fetch-file'
import type { LoadTask, PreviewTask } from './file-process'
import type { FileSettings } from './file-settings'
import { readInProcess } from './read-in-process'

/** A file to load, with options. */
export interface FileOrder extends FilePlace {
  settings: FileSettings
  as_of: string | null
  /** The schedule ordered it, so an unchanged file is not loaded again. */
  is_due: boolean
}

export interface FileProgress {
  done: number
  total: number | null
  result: Record<string, unknown>
}

/**
 * Fetches a file and loads it into a source. Returns the result of the work. `progress` has already received parts of it.
 *
 * @throws ServiceError `bad_input` for a file that cannot be read or has no row to load; as `fetchFile` and `readInProcess`; the signal's reason
 */
export const loadFile = async (
  sql: Sql,
  { workId, source, order, createdBy }: { workId: string; source: string; order: FileOrder; createdBy: string },
  deps: FileDeps,
  { signal, log, advance }: { signal: AbortSignal; log: Logger; advance: (progress: FileProgress) => Promise<void> },
): Promise<Record<string, unknown>> => {
  const { settings, address } = order
  const hash = createHash('sha256').update(JSON.stringify(settings)).digest('hex')
  const last = order.is_due && address !== null ? await findLoadedFile(sql, source) : null
  const loaded =
    last !== null && last.address === address && last.settings === hash
      ? { etag: last.etag, lastModified: last.last_modified }
      : null
  const say = (line: string) => log.info({ source }, line)
  const fetched = await fetchFile(sql, order, deps, { loaded, signal, say })
  if (fetched === null) {
    await noteUnchangedFile(sql, source)
    return { status: 'unchanged' }
  }
  await using file: FetchedFile = fetched
  const total = statSync(file.path).size
  await advance({ done: 0, total, result: { step: 'reading' } })
  const { summary: read, rejects } = await readInProcess<LoadTask>(
    {
      kind: 'load',
      workId,
      databaseUrl: deps.databaseUrl,
      source,
      path: file.path,
      settings,
      asOf: order.as_of,
      createdBy,
    },
    {
      signal,
      onBytes: throttle((bytes) => advance({ done: Math.min(bytes, total), total, result: {} })),
      onSaid: say,
    },
  )
  const summary = await withEarlierLoad(sql, workId, read)
  await advance({ done: total, total, result: { ...describe(summary), rejects } })
  if (summary.load === null) throw new ServiceError('bad_input', describeEmpty(summary, rejects))
  const { status } = summary.load
  if (status === 'applied' || status === 'held') {
    const version = address === null || file.version === null ? null : { address, ...file.version, settings: hash }
    await noteLoadedFile(sql, source, version)
  }
  return {}
}

/**
 * If this attempt changed nothing because another process completed the load of an earlier attempt, the summary with that load and its
 * counts. It is the one to undo.
 */
const withEarlierLoad = async (sql: Sql, workId: string, summary: IngestSummary): Promise<IngestSummary> => {
  const { load, inserted, updated, retired } = summary
  if (load?.status !== 'applied' || inserted + updated + retired > 0) return summary
  const earlier = await findEarlierLoad(sql, { workId, id: load.id })
  return earlier === null ? summary : { ...summary, ...earlier.counts, load: { ...load, ...earlier } }
}

const describe = ({ load, read, ...summary }: IngestSummary) => ({
  ...(load === null ? {} : { status: load.status, load_id: load.id }),
  rows: read,
  rejected: summary.rejected,
  inserted: summary.inserted,
  updated: summary.updated,
  unchanged: summary.unchanged,
  retired: summary.retired,
  warnings: summary.warnings,
  notes: summary.notes,
})

const describeEmpty = ({ read }: IngestSummary, [most]: FilePreview['rejects']): string => {
  const example = most?.examples[0]
  if (read === 0 || example === undefined) return 'the file has no rows'
  return `${countNoun(read, 'row')} read, and none can be loaded; ${example.place}: ${example.reason}`
}

/**
 * Fetches a file and previews its first rows. Returns the result of the work.
 *
 * @throws ServiceError `bad_input` for a file that cannot be read; as `fetchFile` and `readInProcess`; the signal's reason
 */
export const lookAtFile = async (
  sql: Sql,
  { settings, ...place }: FilePlace & { settings: FileSettings },
  deps: FileDeps,
  { signal, log, advance }: { signal: AbortSignal; log: Logger; advance: (progress: FileProgress) => Promise<void> },
): Promise<{ preview: FilePreview }> => {
  const fetched = await fetchFile(sql, place, deps, { loaded: null, signal, say: (line) => log.info(line) })
  if (fetched === null) throw new Error('a preview has no version to compare with')
  await using file: FetchedFile = fetched
  const total = statSync(file.path).size
  await advance({ done: 0, total, result: { step: 'reading' } })
  const { preview } = await readInProcess<PreviewTask>(
    { kind: 'preview', path: file.path, settings },
    { signal, onBytes: throttle((bytes) => advance({ done: Math.min(bytes, total), total, result: {} })) },
  )
  return { preview }
}

const ADVANCE_EVERY_MS = 1_000

/** Calls `report` at most once a second. A failed report is ignored, because the next one, or the end, would fail as well. */
const throttle = (report: (bytes: number) => Promise<void>): ((bytes: number) => void) => {
  const isDue = atMostEvery(ADVANCE_EVERY_MS)
  return (bytes) => {
    if (isDue()) report(bytes).catch(() => {})
  }
}
