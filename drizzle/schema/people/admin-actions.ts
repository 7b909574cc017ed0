import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

/** Changes that admins made through the API. Changes by loads, crawls and jobs are in the change log. */
export const adminActions = pgTable(
  'admin_actions',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    /** The first 8 characters of a key, or the short name of a person's account. */
    actor: text().notNull(),
    method: text().notNull(),
    /** With its parameters, without the query: `/v1/sources/elm`. */
    path: text().notNull(),
    /** The request body. Null: there was none, or it was too large to keep. */
    body: jsonb().$type<unknown>(),
    createdAt: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [index('admin_actions_actor').on(table.actor, table.id.desc())],
)
