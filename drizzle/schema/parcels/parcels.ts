import { isNull, sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  json,
  jsonb,
  type PgColumnBuilderBase,
  pgTable,
  pgView,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { STORED_JSON_BYTES } from '../../../core/bounds'
import type { ParcelAccount } from '../../../core/parcels/accounts'
import { type FieldKey, type FieldType, PARCEL_TEXT, parcelFields } from '../../../core/parcels/fields'
import { atMostBytes, atMostCharacters, box, literal, moment } from '../columns'
import { sources } from '../sources/sources'

const columnOfType: Record<FieldType, (name: string) => PgColumnBuilderBase> = {
  text: (name) => text(name),
  list: (name) => text(name).array().notNull().default(sql`'{}'`),
  area: (name) => doublePrecision(name),
  degrees: (name) => doublePrecision(name),
  money: (name) => bigint(name, { mode: 'number' }),
  boolean: (name) => boolean(name),
}

const fieldColumns = Object.fromEntries(
  parcelFields.map(({ name, key, type }) => [key, columnOfType[type](name)]),
) as Record<FieldKey, PgColumnBuilderBase>

const fieldBounds = (table: Record<FieldKey, AnyPgColumn>) =>
  parcelFields.flatMap((field) => {
    const column = table[field.key]
    if (field.type === 'text') return [atMostCharacters(`parcels_${field.name}`, column, field.maxLength)]
    if (field.type === 'degrees') {
      const most = literal(field.most)
      return [check(`parcels_${field.name}_degrees`, sql`${column} between -${most} and ${most}`)]
    }
    if (field.type !== 'list') return []
    const { maxItems, maxLength } = field
    // A check constraint cannot test each element of an array: this limits their total length.
    const total = literal(maxItems * maxLength)
    const fits = sql`cardinality(${column}) <= ${literal(maxItems)} and length(array_to_string(${column}, '')) <= ${total}`
    return [check(`parcels_${field.name}_length`, fits)]
  })

/**
 * Land parcels. `geom` is a GeoJSON MultiPolygon in EPSG:4326. It is stored as `json`, so that it can be returned as received, without
 * parsing. `bbox` is its bounding box, computed when the geometry is checked; without `geom`, it is the point `lon`, `lat`, and a trigger
 * sets it (functions/places.sql). Money is in whole dollars. The database computes columns ending in `_normalized`
 * (functions/computed-columns.sql).
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
    ...fieldColumns,
    /** Rows of the assessor's roll. Null: no loaded roll has the parcel. */
    accounts: jsonb().$type<ParcelAccount[]>(),
    scrapeData: jsonb('scrape_data').notNull().default({}),
    scrapedAt: moment('scraped_at'),
    scrapedBy: text('scraped_by'),
    /** The last crawl that found the parcel. Its row may be deleted. */
    crawlId: uuid('crawl_id'),
    scrapeDataAsOf: text('scrape_data_as_of'),
    scrapeDataAsOfSource: text('scrape_data_as_of_source'),
    /** When a complete load or crawl of the source no longer had the parcel. Null: the source lists it. */
    retiredAt: moment('retired_at'),
    /** The load, crawl or job that wrote the row last, and where the values are from, for the change log (schema/parcels/parcel-changes.ts). */
    causeId: uuid('cause_id'),
    origin: jsonb(),
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
    ...fieldBounds(table),
    atMostBytes('parcels_accounts', table.accounts, STORED_JSON_BYTES.accounts),
    atMostBytes('parcels_scrape_data', table.scrapeData, STORED_JSON_BYTES.scrape_data),
    check('parcels_point', sql`(${table.lon} is null) = (${table.lat} is null)`),
    check('parcels_bbox_of_place', sql`(${table.bbox} is null) = (${table.geom} is null and ${table.lon} is null)`),
    index('parcels_owner_name_normalized').on(table.ownerNameNormalized),
    index('parcels_owner_name_trgm').using('gin', table.ownerName.op('gin_trgm_ops')),
    index('parcels_situs_address_trgm').using('gin', table.situsAddress.op('gin_trgm_ops')),
    index('parcels_account_owners_trgm')
      .using('gin', sql`account_owners(${table.accounts}) gin_trgm_ops`)
      .where(sql`accounts is not null`),
    // For searches that include retired parcels. There are few of them, and the indexes above have all parcels.
    index('parcels_retired_owner_name_trgm')
      .using('gin', table.ownerName.op('gin_trgm_ops'))
      .where(sql`retired_at is not null`),
    index('parcels_retired_situs_address_trgm')
      .using('gin', table.situsAddress.op('gin_trgm_ops'))
      .where(sql`retired_at is not null`),
    // Compares by byte, so that the beginning of an id can be looked up in any collation.
    index('parcels_id_key').on(sql`parcel_key(${table.sourceParcelId}) text_pattern_ops`),
    index('parcels_situs_zip').on(sql`left(${table.situsZip}, 5)`),
    index('parcels_points').on(table.source).where(sql`geom is null and lon is not null`),
    index('parcels_agricultural').on(table.source, table.id).where(sql`is_agricultural and retired_at is null`),
  ],
)

/**
 * The parcels that their sources list. Every query reads this view, unless it returns one parcel by its id, includes retired parcels,
 * or reads history (test/drizzle/statements.test.ts). Generate a migration after a change of `parcels`, because a view has the columns
 * that its table had when it was created.
 */
export const liveParcels = pgView('live_parcels').as((query) =>
  query.select().from(parcels).where(isNull(parcels.retiredAt)),
)
