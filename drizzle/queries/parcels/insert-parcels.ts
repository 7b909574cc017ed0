import { fieldKey, type ParcelField, parcelFields, SQL_TYPES, type StoredValues } from '../../../core/parcels/fields'
import type { Db, Transaction } from '../../../core/postgres/database'
import type { ParcelInput } from '../../records'
import { CAUSE_SETTING, type StatedCause } from '../changes/set-cause'
import type { ScrapeDataRow } from './update-scrape-data'
import type { Reason } from './upsert-parcels'

type Value = string | number | boolean | null

interface Column<Row> {
  name: string
  type: string
  read: (row: Row) => Value
  /** SQL for the value to store, from the row `i`. Default: the value itself. */
  stored?: string
}

/** A new parcel with its first scrape. */
export type ScrapedParcelRow = ParcelInput & ScrapeDataRow

/** The columns of an incoming parcel. */
const parcelColumns: Column<ParcelInput>[] = [
  { name: 'source_parcel_id', type: 'text', read: ({ sourceParcelId }) => sourceParcelId },
  {
    name: 'origin',
    type: 'jsonb',
    read: ({ origin }) => (origin == null ? null : JSON.stringify({ ...origin, keeps: undefined })),
  },
  { name: 'geom', type: 'json', read: ({ geom }) => (geom == null ? null : JSON.stringify(geom)) },
  {
    name: 'bbox',
    type: 'box',
    read: ({ bbox }) => (bbox == null ? null : `(${bbox[2]},${bbox[3]}),(${bbox[0]},${bbox[1]})`),
  },
  {
    name: 'accounts',
    type: 'jsonb',
    read: ({ accounts }) => (accounts == null ? null : JSON.stringify(accounts)),
  },
  ...parcelFields.map((field) => ({
    name: field.name,
    type: SQL_TYPES[field.type],
    read: (row: ParcelInput) => {
      const value = readField(field, row)
      return Array.isArray(value) ? encodeArray(value) : value
    },
  })),
]

const readField = (field: ParcelField, row: ParcelInput): Value | string[] => {
  if (field.type !== 'list') return (row[field.key] as Value | undefined) ?? null
  const other = row[fieldKey(field.defaultFrom)] as string | null | undefined
  return (row[field.key] as string[] | null | undefined) ?? (other == null ? [] : [other])
}

/** The fields of a new parcel as they are stored. */
export const newValues = (row: ParcelInput): StoredValues =>
  Object.fromEntries(parcelFields.map((field) => [field.key, readField(field, row)])) as unknown as StoredValues

const loadedColumns: Column<ParcelInput>[] = [
  { name: 'id', type: 'uuid', read: () => Bun.randomUUIDv7() },
  ...parcelColumns,
]

const scrapedColumns: Column<ScrapedParcelRow>[] = [
  { name: 'id', type: 'uuid', read: ({ id }) => id },
  { name: 'cause_id', type: 'uuid', read: ({ causeId }) => causeId },
  { name: 'scraped_by', type: 'text', read: ({ scrapedBy }) => scrapedBy },
  {
    name: 'scraped_at',
    type: 'timestamptz',
    read: ({ scrapedAt }) => scrapedAt,
    stored: 'coalesce(i.scraped_at, now())',
  },
  { name: 'scrape_data', type: 'jsonb', read: ({ scrapeData }) => JSON.stringify(scrapeData) },
  ...parcelColumns,
]

/** Types that are sent as text, because `unnest` would flatten their arrays, or because their arrays are not separated by commas. */
const isSentAsText = (type: string): boolean => type.endsWith('[]') || type === 'box'

/** SQL text for rows that are sent as one array per column: the names, the arrays from `stated.columns`, and the values of a row `i`. */
const describe = <Row>(columns: readonly Column<Row>[]) => ({
  names: columns.map(({ name }) => name).join(', '),
  arrays: columns
    .map(({ type }, index) => `stated.columns[${index + 1}]::${isSentAsText(type) ? 'text' : type}[]`)
    .join(', '),
  values: columns
    .map(({ name, type, stored = isSentAsText(type) ? `i.${name}::${type}` : `i.${name}` }) => stored)
    .join(', '),
})

const LOADED = describe(loadedColumns)
const SCRAPED = describe(scrapedColumns)

/** The rows in one text. PostgreSQL finds a long separator faster than it reads an array of arrays. */
const encodeRows = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]) => {
  const separator = crypto.randomUUID()
  return { separator, arrays: columns.map(({ read }) => encodeArray(rows.map(read))).join(separator) }
}

/**
 * Inserts parcels of one source in one statement. None of them may exist yet. Writes the same rows as `upsertParcels` with five sixths
 * of the database's work: it does not look for stored parcels, and sends each column as an array, which is parsed faster than JSON. The
 * `causeId` of a row is ignored.
 *
 * @throws an error of the database that `isStoredParcel` recognizes; then no row was inserted
 */
export const insertParcels = async (
  db: Db,
  source: string,
  rows: readonly ParcelInput[],
  reason: Reason,
): Promise<void> => {
  const { arrays, separator } = encodeRows(loadedColumns, rows)
  await db`
    with stated as materialized (
      select set_config(${CAUSE_SETTING}, ${reason.cause}, true), string_to_array(${arrays}, ${separator}) as columns
    )
    insert into parcels (source, cause_id, ${db.unsafe(LOADED.names)})
    select ${source}, ${reason.id}::uuid, ${db.unsafe(LOADED.values)}
    from stated cross join lateral unnest(${db.unsafe(LOADED.arrays)}) as i (${db.unsafe(LOADED.names)})`
}

/**
 * Inserts parcels of one source that a scrape found first, with their scrape data, in one statement. Writes the same rows as
 * `upsertParcels` and `updateScrapeData` together, but each only once. Skips parcels that were stored in the meantime. Returns the ids
 * (`sourceParcelId`) of the inserted ones.
 *
 * The database checks foreign keys row by row. On a connection that plans each statement each time, it would plan each check, so this
 * statement allows kept plans for the checks.
 */
export const insertScrapedParcels = async (
  tx: Transaction,
  source: string,
  rows: readonly ScrapedParcelRow[],
  { cause, crawlId }: { cause: StatedCause; crawlId: string | null },
): Promise<Set<string>> => {
  const { arrays, separator } = encodeRows(scrapedColumns, rows)
  const insert = tx<{ sourceParcelId: string }[]>`
    with stated as materialized (
      select set_config(${CAUSE_SETTING}, ${cause}, true), set_config('plan_cache_mode', 'auto', true),
        string_to_array(${arrays}, ${separator}) as columns
    )
    insert into parcels (source, crawl_id, scrape_data_as_of, scrape_data_as_of_source, ${tx.unsafe(SCRAPED.names)})
    select ${source}, ${crawlId}::uuid, i.scrape_data ->> 'data_as_of', i.scrape_data ->> 'data_as_of_source', ${tx.unsafe(SCRAPED.values)}
    from stated cross join lateral unnest(${tx.unsafe(SCRAPED.arrays)}) as i (${tx.unsafe(SCRAPED.names)})
    order by i.source_parcel_id
    on conflict (source, source_parcel_id) do nothing
    returning source_parcel_id as "sourceParcelId"`
  const [inserted] = await Promise.all([insert, tx`set local plan_cache_mode to default`])
  return new Set(inserted.map(({ sourceParcelId }) => sourceParcelId))
}

/** Whether an insert failed because a parcel of the source has the same id. */
export const isStoredParcel = (error: unknown): boolean =>
  error instanceof Error && 'constraint_name' in error && error.constraint_name === 'parcels_source_parcel'

/**
 * The text of an array (https://www.postgresql.org/docs/18/arrays.html#ARRAYS-IO). It equals a JSON array with other brackets, unless
 * JSON escapes more than quotes and backslashes. Encoding JSON takes a fraction of the time of encoding each value.
 */
const encodeArray = (values: readonly Value[]): string => {
  const json = JSON.stringify(values)
  if (!/\\[bfnrtu]/.test(json)) return `{${json.slice(1, -1)}}`
  return `{${values.map((value) => (typeof value === 'string' ? quote(value) : (value ?? 'null'))).join()}}`
}

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
