import { sql } from 'drizzle-orm'
import { boolean, char, check, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { SOURCE_TEXT } from '../../../core/bounds'
import type { LoadLimits } from '../../../core/sources/load-limits'
import { atMostCharacters, moment } from '../columns'

/** The version of a file as reported by its server, and the settings that it was loaded with. */
export interface LoadedFile {
  address: string
  etag: string | null
  last_modified: string | null
  /** SHA-256 of the settings. */
  settings: string
}

/**
 * County portals, and counties whose parcels come from files (vendor `file`). A portal runs one vendor's software. The slug is the key in the
 * API, and parcels refer to it, so it never changes.
 */
export const sources = pgTable(
  'sources',
  {
    source: text().primaryKey(),
    state: char({ length: 2 }).notNull(),
    countyName: text('county_name').notNull(),
    vendor: text().notNull(),
    /** The portal's address. With the vendor `file`, that of the file; empty if its files are loaded by hand. */
    baseUrl: text('base_url').notNull(),
    active: boolean().notNull().default(false),
    vendorConfig: jsonb('vendor_config').$type<Record<string, unknown>>().notNull().default({}),
    /**
     * MD5 of `base_url` and `vendor_config` as a release wrote them. While it matches, no operator has changed them, and a newer
     * release may replace them. Null: the source is not from a release.
     */
    seedHash: text('seed_hash'),
    /** Limits that differ from `DEFAULT_LOAD_LIMITS`. */
    loadLimits: jsonb('load_limits').$type<Partial<LoadLimits>>().notNull().default({}),
    /** For exports of its parcels: the license, preferably as an SPDX id, and whom to credit. The operator sets them. */
    license: text(),
    attribution: text(),
    /** When an admin retired it. Its parcels are retired, too. */
    retiredAt: moment('retired_at'),
    /** The load that retired the parcels, so that it can be undone. Null: it is not retired, or had no parcels. */
    retiredBy: uuid('retired_by'),
    /** With the vendor `file`: what was loaded last, so that a file that has not changed is not loaded again. */
    loadedFile: jsonb('loaded_file').$type<LoadedFile>(),
    lastFullScrapeAt: moment('last_full_scrape_at'),
    lastKnownDataAsOf: text('last_known_data_as_of'),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    check('sources_slug', sql`${table.source} ~ '^[a-z0-9][a-z0-9_-]{0,99}$'`),
    check('sources_state', sql`${table.state} ~ '^[A-Z]{2}$'`),
    atMostCharacters('sources_license', table.license, SOURCE_TEXT.license),
    atMostCharacters('sources_attribution', table.attribution, SOURCE_TEXT.attribution),
    index('sources_vendor').on(table.vendor),
  ],
)
