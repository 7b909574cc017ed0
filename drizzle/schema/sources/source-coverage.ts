import { bigint, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { box, moment } from '../columns'
import { sources } from './sources'

/** Counts of each source's parcels. A load counts them again at its end, the scheduler at most once an hour. */
export const sourceCoverage = pgTable('source_coverage', {
  source: text()
    .primaryKey()
    .references(() => sources.source, { onUpdate: 'cascade', onDelete: 'cascade' }),
  /** Listed parcels, without retired ones. */
  parcels: bigint({ mode: 'number' }).notNull(),
  retired: bigint({ mode: 'number' }).notNull(),
  /** Field → how many listed parcels have a value. `geom` is the boundary. */
  filled: jsonb().$type<Record<string, number>>().notNull(),
  /** The box of all listed parcels; null if none has a boundary. */
  bbox: box('bbox'),
  /** When a parcel was last added or scraped; null if there are no parcels. */
  refreshedAt: moment('refreshed_at'),
  /** The dataset version before the count began. Later changes may be missing. */
  version: bigint({ mode: 'number' }).notNull(),
  countedAt: moment('counted_at').notNull(),
})
