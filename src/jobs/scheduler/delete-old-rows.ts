import { runEach } from '../../../core/concurrency/run-each'
import type { Sql, Transaction } from '../../../core/postgres/database'
import type { Lead } from '../../../core/postgres/leader/lead'
import { forgetWriters } from '../../../core/postgres/replicas/recent-writers'
import { deleteOldAlerts } from '../../../drizzle/queries/alerts/store-alerts'
import { CRAWL } from '../../../drizzle/queries/crawls/crawl-work'
import { deleteExpiredFiles } from '../../../drizzle/queries/files/files'
import { deleteFinishedJobs } from '../../../drizzle/queries/jobs/delete-finished-jobs'
import { deleteExpiredMatches } from '../../../drizzle/queries/matches/matches'
import { deleteExpiredUploads } from '../../../drizzle/queries/matches/uploads'
import { deleteOldAdminActions } from '../../../drizzle/queries/people/admin-actions'
import { deleteEndedSessions } from '../../../drizzle/queries/people/sessions'
import { deleteOldSignInAttempts } from '../../../drizzle/queries/people/sign-in-attempts'
import { SEARCH_WORK_KINDS } from '../../../drizzle/queries/search/search-index-work'
import { forgetEvents } from '../../../drizzle/queries/service/events'
import { deleteOldIdempotencyKeys } from '../../../drizzle/queries/service/idempotency-keys'
import { deleteOldTuningEntries } from '../../../drizzle/queries/tuner/tuning-log'
import { deleteFinishedDeliveries } from '../../../drizzle/queries/watches/deliveries'
import { endUnsentDeliveries } from '../../../drizzle/queries/watches/end-unsent-deliveries'
import { deleteFinishedWork } from '../../../drizzle/queries/work/delete-finished-work'

/** Most rows that one statement deletes. It takes some tens of milliseconds. */
const ROWS_AT_A_TIME = 5_000
/** Each may have 10,000 rejected records, which take 30 ms. A leader's transaction may take 7 s. */
const WORK_AT_A_TIME = 100
/** Each may have 100,000 rows. */
const MATCHES_AT_A_TIME = 5
/** Each may have hundreds of parts of 8 MiB. */
const FILES_AT_A_TIME = 1
const HISTORY_DAYS = 30
/** How long tuning decisions are kept for reading and replay. */
const TUNING_DAYS = 90
/** How long the list of what admins changed is kept. */
const ACTION_DAYS = 365
/** How long alerts are kept after they ended. */
const ALERT_DAYS = 90
/** How long events are kept. A client that reconnects within this time misses none. */
const EVENT_HOURS = 1

/** Each deletes or ends some rows and returns how many. */
const SETS: readonly ((tx: Transaction) => Promise<number>)[] = [
  (tx) => deleteFinishedJobs(tx, { days: HISTORY_DAYS, limit: ROWS_AT_A_TIME }),
  (tx) =>
    deleteFinishedWork(tx, {
      days: HISTORY_DAYS,
      limit: WORK_AT_A_TIME,
      keptKinds: [...Object.values(SEARCH_WORK_KINDS), CRAWL],
    }),
  (tx) => endUnsentDeliveries(tx, { days: HISTORY_DAYS, limit: ROWS_AT_A_TIME }),
  (tx) => deleteFinishedDeliveries(tx, { days: HISTORY_DAYS, limit: ROWS_AT_A_TIME }),
  (tx) => deleteOldAlerts(tx, { days: ALERT_DAYS, limit: ROWS_AT_A_TIME }),
  (tx) => deleteOldTuningEntries(tx, { days: TUNING_DAYS, limit: ROWS_AT_A_TIME }),
  (tx) => deleteOldAdminActions(tx, { days: ACTION_DAYS, limit: ROWS_AT_A_TIME }),
  (tx) => deleteOldIdempotencyKeys(tx, ROWS_AT_A_TIME),
  (tx) => forgetEvents(tx, { hours: EVENT_HOURS, limit: ROWS_AT_A_TIME }),
  (tx) => deleteExpiredMatches(tx, MATCHES_AT_A_TIME),
  (tx) => deleteExpiredUploads(tx, MATCHES_AT_A_TIME),
  (tx) => deleteExpiredFiles(tx, FILES_AT_A_TIME),
  (tx) => deleteEndedSessions(tx, ROWS_AT_A_TIME),
  (tx) => deleteOldSignInAttempts(tx, ROWS_AT_A_TIME),
  (tx) => forgetWriters(tx, ROWS_AT_A_TIME),
]

/** Deletes old rows, one set at a time. Ends early when `isStopped`. */
export const deleteOldRows = (sql: Sql, lead: Pick<Lead, 'begin'>, isStopped: () => boolean): Promise<void> =>
  runEach(SETS, async (deleteSet) => {
    while (!isStopped() && (await lead.begin(sql, deleteSet)) > 0);
  })
