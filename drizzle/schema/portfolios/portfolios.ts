import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { PORTFOLIO_BOUNDS, TEXT } from '../../../core/bounds'
import { atMostCharacters, moment } from '../columns'
import { accounts } from '../people/accounts'
import { sources } from '../sources/sources'

/** Named collections of parcels that people save. Not to be confused with lists to match (`matches`). */
export const portfolios = pgTable(
  'portfolios',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    /** The account, or the key without an account, that it belongs to (`watcherOf`). */
    owner: uuid().notNull(),
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    createdAt: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    atMostCharacters('portfolios_name', table.name, TEXT.code),
    index('portfolios_owner').on(table.owner, table.id),
    index('portfolios_account').on(table.accountId),
  ],
)

/** The parcels of portfolios. A parcel that was deleted stays, so that its note is not lost. */
export const portfolioParcels = pgTable(
  'portfolio_parcels',
  {
    portfolioId: uuid('portfolio_id')
      .notNull()
      .references(() => portfolios.id, { onDelete: 'cascade' }),
    source: text()
      .notNull()
      .references(() => sources.source, { onUpdate: 'cascade', onDelete: 'cascade' }),
    sourceParcelId: text('source_parcel_id').notNull(),
    note: text().notNull().default(''),
    tags: text().array().notNull().default(sql`'{}'`),
    addedAt: moment('added_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.portfolioId, table.source, table.sourceParcelId] }),
    atMostCharacters('portfolio_parcels_id', table.sourceParcelId, TEXT.id),
    atMostCharacters('portfolio_parcels_note', table.note, TEXT.text),
    check('portfolio_parcels_tags', sql.raw(`cardinality(tags) <= ${PORTFOLIO_BOUNDS.tags}`)),
    index('portfolio_parcels_source').on(table.source),
  ],
)

/** Searches that people save: the query string of the page's URL. */
export const savedSearches = pgTable(
  'saved_searches',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    /** As in `portfolios`. */
    owner: uuid().notNull(),
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    query: text().notNull(),
    createdAt: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    atMostCharacters('saved_searches_name', table.name, TEXT.code),
    atMostCharacters('saved_searches_query', table.query, PORTFOLIO_BOUNDS.queryCharacters),
    index('saved_searches_owner').on(table.owner, table.id),
    index('saved_searches_account').on(table.accountId),
  ],
)
