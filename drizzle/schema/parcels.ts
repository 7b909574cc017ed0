import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  json,
  jsonb,
  pgTable,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { MOST_OWNER_NAMES, PARCEL_TEXT, STORED_JSON_BYTES } from '../../core/bounds'
import { atMostBytes, atMostCharacters, box, literal, moment } from './columns'
import { sources } from './sources'

/**
 * Land parcels. `geom` is GeoJSON MultiPolygon in EPSG:4326, kept as `json` so that the bytes that came in go out again
 * without being parsed; `bbox` is its box, computed where the geometry is checked. Money is whole dollars. The database
 * computes columns ending in `_normalized` (functions/computed-columns.sql).
 */
export const parcels = pgTable(
  'parcels',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    source: text()
      .notNull()
      .references(() => sources.source, { onUpdate: 'cascade' }),
    sourceParcelId: text('source_parcel_id').notNull(),
    geom: json(),
    bbox: box('bbox'),
    acreage: doublePrecision(),
    ownerName: text('owner_name'),
    ownerNamesAll: text('owner_names_all').array().notNull().default(sql`'{}'`),
    ownerMailingAddress: text('owner_mailing_address'),
    situsAddress: text('situs_address'),
    situsCity: text('situs_city'),
    situsState: text('situs_state'),
    situsZip: text('situs_zip'),
    landUseClass: text('land_use_class'),
    zoningCode: text('zoning_code'),
    zoningDescription: text('zoning_description'),
    /** Null: not known. */
    isAgricultural: boolean('is_agricultural'),
    assessedValue: bigint('assessed_value', { mode: 'number' }),
    valueLand: bigint('value_land', { mode: 'number' }),
    valueImprovement: bigint('value_improvement', { mode: 'number' }),
    scrapeData: jsonb('scrape_data').notNull().default({}),
    scrapedAt: moment('scraped_at'),
    scrapedBy: text('scraped_by'),
    /** The last crawl that brought it, whose row may be gone. */
    crawlId: uuid('crawl_id'),
    scrapeDataAsOf: text('scrape_data_as_of'),
    scrapeDataAsOfSource: text('scrape_data_as_of_source'),
    /** Which scrapes the fields are from (src/scrape/store/scrape-origins.ts); null: none since that is noted. */
    scrapeOrigins: jsonb('scrape_origins'),
    ingestedAt: moment('ingested_at').notNull().default(sql`now()`),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
    ownerNameNormalized: text('owner_name_normalized').generatedAlwaysAs(sql`normalize_name(owner_name)`),
  },
  (table) => [
    unique('parcels_source_parcel').on(table.source, table.sourceParcelId),
    check(
      'parcels_source_parcel_id',
      sql`length(${table.sourceParcelId}) between 1 and ${literal(PARCEL_TEXT.source_parcel_id)}`,
    ),
    atMostCharacters('parcels_owner_name', table.ownerName, PARCEL_TEXT.owner_name),
    // A check constraint cannot test each element of an array: this limits their total length.
    check(
      'parcels_owner_names_all_length',
      sql`cardinality(${table.ownerNamesAll}) <= ${literal(MOST_OWNER_NAMES)} and length(array_to_string(${table.ownerNamesAll}, '')) <= ${literal(MOST_OWNER_NAMES * PARCEL_TEXT.owner_names_all)}`,
    ),
    atMostCharacters('parcels_owner_mailing_address', table.ownerMailingAddress, PARCEL_TEXT.owner_mailing_address),
    atMostCharacters('parcels_situs_address', table.situsAddress, PARCEL_TEXT.situs_address),
    atMostCharacters('parcels_situs_city', table.situsCity, PARCEL_TEXT.situs_city),
    atMostCharacters('parcels_situs_state', table.situsState, PARCEL_TEXT.situs_state),
    atMostCharacters('parcels_situs_zip', table.situsZip, PARCEL_TEXT.situs_zip),
    atMostCharacters('parcels_land_use_class', table.landUseClass, PARCEL_TEXT.land_use_class),
    atMostCharacters('parcels_zoning_code', table.zoningCode, PARCEL_TEXT.zoning_code),
    atMostCharacters('parcels_zoning_description', table.zoningDescription, PARCEL_TEXT.zoning_description),
    atMostBytes('parcels_scrape_data', table.scrapeData, STORED_JSON_BYTES.scrape_data),
    check('parcels_bbox_with_geom', sql`(${table.geom} is null) = (${table.bbox} is null)`),
    index('parcels_owner_name_normalized').on(table.ownerNameNormalized),
    index('parcels_owner_name_trgm').using('gin', table.ownerName.op('gin_trgm_ops')),
    index('parcels_situs_address_trgm').using('gin', table.situsAddress.op('gin_trgm_ops')),
    index('parcels_id_key').on(sql`parcel_key(${table.sourceParcelId})`),
    index('parcels_agricultural').on(table.source, table.id).where(sql`is_agricultural`),
  ],
)
