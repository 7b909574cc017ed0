import { pino } from 'pino'
import { connectDatabase } from '../../core/postgres/database'
import { createWatchMatcher } from '../../src/watches/watch-matcher'
import { createWebhookRunner } from '../../src/work/webhook-runner'
import { createWorkLoop } from '../../src/work/work-loop'
import { QUICK } from './quick-retries'

/* Compares changes with watches and sends webhooks in a separate process, which tests can kill: bun test/watches/sender-process.ts DATABASE_URL. */
const [databaseUrl = ''] = process.argv.slice(2)
const sql = connectDatabase(databaseUrl, { max: 6, applicationName: 'test-sender', planned: 'each' })
const log = pino({ level: 'silent' })
createWatchMatcher({ databaseUrl, sql, log, pollMs: 100 }).start()
createWorkLoop({
  sql,
  log,
  // One receiver hangs at times.
  runners: [createWebhookRunner({ ...QUICK, timeoutMs: 500 })],
  ...{ leaseMs: 1_000, heartbeatMs: 250, pollMs: 50 },
}).start()
console.log('started')
