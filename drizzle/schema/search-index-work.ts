import { bigint, pgEnum, pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from './columns'

export const searchWorkKind = pgEnum('search_work_kind', ['check', 'rebuild'])
export const searchWorkState = pgEnum('search_work_state', ['requested', 'running', 'done', 'failed'])

/** The last comparison of the search index with the database, and the last rebuild of it: what the sync role has to do, and did. */
export const searchIndexWork = pgTable('search_index_work', {
  kind: searchWorkKind().primaryKey(),
  state: searchWorkState().notNull(),
  /** Who asked for it; null: it was due, or somebody did it on the command line. */
  requestedBy: text('requested_by'),
  requestedAt: moment('requested_at'),
  startedAt: moment('started_at'),
  finishedAt: moment('finished_at'),
  /** Documents of a rebuild that were sent, of how many. */
  done: bigint({ mode: 'number' }),
  total: bigint({ mode: 'number' }),
  /** Documents that the last comparison that was finished found to differ. */
  missing: bigint({ mode: 'number' }),
  extra: bigint({ mode: 'number' }),
  different: bigint({ mode: 'number' }),
  checkedAt: moment('checked_at'),
  error: text(),
})
