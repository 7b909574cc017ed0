import { serveTask } from '../../core/concurrency/threads'
import { connectDatabase } from '../../core/postgres/database'
import { countExported } from './count-exported'
import type { ExportThread } from './run-export'
import { writeExport } from './write-export'

/** The thread of one export (run-export.ts). */
serveTask<ExportThread>(async ({ databaseUrl, request, ...options }, { report }) => {
  // One connection reads the next page while this thread works on the one before.
  const sql = connectDatabase(databaseUrl, { max: 2, applicationName: 'export', patience: 'bulk' })
  try {
    const total = await countExported(sql, request, null)
    report({ rows: 0, total })
    return await writeExport(sql, request, { ...options, onRows: (rows) => report({ rows, total }) })
  } finally {
    await sql.end({ timeout: 1 })
  }
})
