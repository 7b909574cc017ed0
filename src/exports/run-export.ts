import { type ErrorCode, ServiceError } from '../../core/service-error'
import type { ExportRequest } from './export-request'
import type { WriteOptions, WrittenExport } from './write-export'

export interface ExportTask extends Omit<WriteOptions, 'onRows'> {
  databaseUrl: string
  request: ExportRequest
}

export type ExportMessage =
  | { kind: 'total'; total: number }
  | { kind: 'rows'; rows: number }
  | { kind: 'written'; written: WrittenExport }
  | { kind: 'failed'; code: ErrorCode | null; message: string; stack: string }

/**
 * Writes an export in a thread of its own, so that encoding never holds the thread that answers requests.
 *
 * @throws the signal's reason when it aborts; what `writeExport` throws
 */
export const runExport = (
  task: ExportTask,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (rows: number, total: number | null) => void },
): Promise<WrittenExport> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./export-thread.ts', import.meta.url))
    let total: number | null = null
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort)
      thread.terminate()
      settle()
    }
    const onAbort = () => end(() => reject(signal.reason))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    thread.onerror = ({ message }) => end(() => reject(new Error(`the thread of an export failed: ${message}`)))
    thread.onmessage = ({ data }: MessageEvent<ExportMessage>) => {
      if (data.kind === 'total') total = data.total
      else if (data.kind === 'rows') onProgress(data.rows, total)
      else if (data.kind === 'written') end(() => resolve(data.written))
      else end(() => reject(toError(data)))
    }
    thread.postMessage(task)
  })

const toError = ({ code, message, stack }: Extract<ExportMessage, { kind: 'failed' }>): Error => {
  if (code !== null) return new ServiceError(code, message)
  const error = new Error(message)
  error.stack = stack
  return error
}
