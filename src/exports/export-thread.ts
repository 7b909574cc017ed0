import { connectDatabase } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { countExported } from './count-exported'
import type { ExportMessage, ExportTask } from './run-export'
import { writeExport } from './write-export'

/** The thread of one export (run-export.ts). Its only message is the task. */
declare const self: Worker

const post = (message: ExportMessage): void => self.postMessage(message)

self.onmessage = async ({ data: { databaseUrl, request, ...options } }: MessageEvent<ExportTask>) => {
  // One connection reads the next page while this thread works on the one before.
  const sql = connectDatabase(databaseUrl, { max: 2, applicationName: 'export', patience: 'bulk' })
  try {
    post({ kind: 'total', total: await countExported(sql, request, null) })
    const written = await writeExport(sql, request, { ...options, onRows: (rows) => post({ kind: 'rows', rows }) })
    post({ kind: 'written', written })
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    post({ kind: 'failed', code: error instanceof ServiceError ? error.code : null, message, stack })
  } finally {
    await sql.end({ timeout: 1 })
  }
}
