import { sql } from 'drizzle-orm'
import { check, customType, index, integer, json, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { work } from './work'

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/**
 * A list in the form in which the caller sent it. Its id is derived from the owner and the content, so that a file sent twice is stored
 * once.
 */
export const uploads = pgTable(
  'uploads',
  {
    id: uuid().primaryKey(),
    /** As in `matches`. */
    owner: uuid().notNull(),
    format: text({ enum: ['csv', 'ndjson'] }).notNull(),
    content: bytes().notNull(),
    /** The number of line breaks, for a limit that does not require parsing the list. */
    lines: integer().notNull(),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('uploads_expires').on(table.expiresAt), check('uploads_format', sql`format in ('csv', 'ndjson')`)],
)

/** Lists that are compared with the parcels. The id is that of the work, which has status and progress. */
export const matches = pgTable(
  'matches',
  {
    id: uuid()
      .primaryKey()
      .references(() => work.id, { onDelete: 'cascade' }),
    /** The account, or the key without an account, that the list belongs to (`watcherOf`). */
    owner: uuid().notNull(),
    /** The list. It may have expired before its results do. */
    upload: uuid(),
    /** The match whose rows are retried. Null: the rows are those of the upload. */
    retryOf: uuid('retry_of'),
    /** Which of those rows to retry, by outcome. */
    outcomes: text().array().notNull().default(sql`'{}'`),
    /** Column of the list → field. Null: guessed from its header. */
    columns: jsonb().$type<Record<string, string>>(),
    /** Only parcels of this state, county or source. */
    state: text(),
    county: text(),
    source: text(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('matches_owner').on(table.owner, table.id), index('matches_expires').on(table.expiresAt)],
)

/** The rows of a list with their answers. */
export const matchRows = pgTable(
  'match_rows',
  {
    matchId: uuid('match_id')
      .notNull()
      .references(() => matches.id, { onDelete: 'cascade' }),
    /** The line of the row in its list, from 1. */
    row: integer().notNull(),
    outcome: text({ enum: ['matched', 'tie', 'no_match', 'invalid'] }).notNull(),
    /** The row in its original form. */
    input: json().notNull(),
    /** The result that callers see, besides the row. */
    answer: json().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.matchId, table.row] }),
    check('match_rows_outcome', sql`outcome in ('matched', 'tie', 'no_match', 'invalid')`),
  ],
)
