import { serveTask } from '../../core/concurrency/tasks'
import { connectDatabase, type PoolOptions } from '../../core/postgres/database'
import { followReplicas } from '../../core/postgres/replicas/replicas'
import { countExported } from './count-exported'
import type { ExportThread } from './run-export'
import { writeExport } from './write-export'

// One connection reads the next page while this thread encodes the previous one.
const POOL: PoolOptions = { max: 2, applicationName: 'export', patience: 'bulk', probed: true }

/**
 * The thread of one export (run-export.ts). The export has everything that was committed when it began, whichever servers it reads
 * from.
 */
serveTask<ExportThread>(async ({ databaseUrl, databaseReadUrls, request, ...options }, { report }) => {
  const reader = { id: null, since: performance.now() }
  const sql = connectDatabase(databaseUrl, POOL)
  const replicas = followReplicas(databaseReadUrls, sql)
  const reads = replicas.openReads(sql, POOL)
  try {
    const total = await reads.run(reader, (db) => countExported(db, request, null))
    report({ rows: 0, total })
    return await writeExport(reads, reader, request, { ...options, onRows: (rows) => report({ rows, total }) })
  } finally {
    await replicas.stop()
    await sql.end({ timeout: 1 })
  }
})
