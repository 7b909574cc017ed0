import { runInThread } from '../../core/concurrency/threads'
import type { ExportRequest } from './export-request'
import type { WriteOptions, WrittenExport } from './write-export'

export interface ExportThread {
  task: Omit<WriteOptions, 'onRows'> & {
    databaseUrl: string
    /** Replicas of it. */
    databaseReadUrls: readonly string[]
    request: ExportRequest
  }
  report: { rows: number; total: number }
  result: WrittenExport
}

/**
 * Writes an export in its own thread, so that encoding never blocks the thread that answers requests.
 *
 * @throws the signal's reason when it aborts; what `writeExport` throws
 */
export const runExport = (
  task: ExportThread['task'],
  { signal, onProgress }: { signal: AbortSignal; onProgress: (rows: number, total: number) => void },
): Promise<WrittenExport> =>
  runInThread<ExportThread>(new URL('./export-thread.ts', import.meta.url), task, {
    signal,
    onReport: ({ rows, total }) => onProgress(rows, total),
  })
