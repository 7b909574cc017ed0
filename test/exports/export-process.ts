import { pino } from 'pino'
import { connectDatabase } from '../../core/postgres/database'
import { createExportStore } from '../../src/exports/export-store'
import { createExportRunner } from '../../src/work/export-runner'
import { createWorkLoop } from '../../src/work/work-loop'

/** A worker that does exports only. */
const [databaseUrl = '', folder = '', leaseMs = '1000'] = process.argv.slice(2)
const sql = connectDatabase(databaseUrl, { max: 3 })
const log = pino({ level: 'silent' })
const runner = createExportRunner({
  ...{ databaseUrl, log, store: createExportStore(`${folder}/exports`) },
  workDir: `${folder}/work`,
  maxBytes: 1024 ** 3,
})
createWorkLoop({ sql, log, runners: [runner], leaseMs: Number(leaseMs), heartbeatMs: 100, pollMs: 50 }).start()
