import { pino } from 'pino'
import { connectDatabase } from '../../core/postgres/database'
import { createWorkLoop } from '../../src/work/work-loop'
import { trialRunner } from './trial-runner'

/* A worker in a separate process that tests can kill: bun test/work/trial-process.ts DATABASE_URL LEASE_MS. */
const [databaseUrl = '', leaseMs = ''] = process.argv.slice(2)
createWorkLoop({
  sql: connectDatabase(databaseUrl, { max: 4, applicationName: 'test-trial' }),
  runners: [trialRunner],
  log: pino({ level: 'silent' }),
  ...{ leaseMs: Number(leaseMs), heartbeatMs: Number(leaseMs) / 4, pollMs: 50 },
}).start()
