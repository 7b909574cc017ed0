import { MAX_OWNER_NAMES, TEXT } from '../bounds'

/*
 * The one table of a parcel's fields. SQL statements, types, the schema, the field map of `bun run ingest`, the API's record, search
 * documents, tile properties and docs/parcel-fields.md are derived from it. To add a column, add an entry, compare the column in
 * drizzle/functions/parcel-changes.sql, then run `bun run db:generate` and `bun run docs:fields`. Columns with special rules are not in
 * the table: the key (`source`, `source_parcel_id`), the boundary (`geom`, `bbox`), the accounts (accounts.ts) and the columns of scrapes
 * (`scrape_data` and related ones).
 */

/** The types that a field can have, each with its type in PostgreSQL. `area` is in acres, 0 or more; `money` in whole dollars; `degrees` are of WGS 84. */
export const SQL_TYPES = {
  text: 'text',
  list: 'text[]',
  area: 'float8',
  degrees: 'float8',
  money: 'bigint',
  boolean: 'boolean',
} as const

interface TypedValues {
  text: string
  list: string[]
  area: number
  degrees: number
  money: number
  boolean: boolean
}
export type FieldType = keyof TypedValues

interface CommonOptions {
  /** Shown in the OpenAPI document and in docs/parcel-fields.md. */
  description: string
  /** Whether a tile can carry it. */
  inTiles: boolean
  /**
   * `candidate`: search compares or shows it. `filter`: only a filter of search uses it. Null: search does not use it. If it is not
   * null, the trigger `parcels_updated` must compare the column, so that a change reaches the index.
   */
  inSearch: 'candidate' | 'filter' | null
}

interface LayerOptions {
  /**
   * For `vendor_config.columns` of crawled layers: what the layer's column contains, and an example of its name. If it is missing,
   * adapters/reading/record-map.ts handles the field specially or does not read it.
   */
  layerColumn?: { description: string; example: string }
}

/** `maxLength` is in characters. In a list it is for each text. */
type FieldOptions<Name extends string = string> = CommonOptions &
  (
    | ({ type: 'text'; maxLength: number; example: string } & LayerOptions)
    | {
        type: 'list'
        maxLength: number
        maxItems: number
        /** One text of the list. */
        example: string
        /** If a file or a page has no list, the list is the text of this field. */
        defaultFrom: Name
      }
    | { type: 'area'; example: number }
    | { type: 'degrees'; most: number; example: number }
    | ({ type: 'money'; example: number } & LayerOptions)
    | { type: 'boolean'; example: boolean }
  )

/** Fields by their name in the database, the API and files, in the order of the API's record. Code uses camel case. */
export const PARCEL_FIELDS = {
  lon: {
    type: 'degrees',
    most: 180,
    description:
      'Longitude of a point on the parcel, if its source has one. It locates a parcel whose boundary is unknown.',
    example: -121.0312,
    inTiles: false,
    inSearch: null,
  },
  lat: {
    type: 'degrees',
    most: 90,
    description: 'Latitude of that point. A parcel has both or neither.',
    example: 44.0581,
    inTiles: false,
    inSearch: null,
  },
  acreage: {
    type: 'area',
    description: 'Area in acres.',
    example: 0.17,
    inTiles: true,
    inSearch: 'filter',
  },
  owner_name: {
    type: 'text',
    maxLength: TEXT.name,
    description: 'The owner, as the source writes it.',
    example: 'JUNIPER ADA & BO',
    inTiles: true,
    inSearch: 'candidate',
  },
  owner_names_all: {
    type: 'list',
    maxLength: TEXT.name,
    maxItems: MAX_OWNER_NAMES,
    defaultFrom: 'owner_name',
    description: 'All owners.',
    example: 'JUNIPER ADA',
    inTiles: false,
    inSearch: null,
  },
  owner_mailing_address: {
    type: 'text',
    maxLength: TEXT.address,
    description: 'Mailing address of the owner.',
    example: 'PO BOX 12, WILLOWBROOK OR 97000',
    inTiles: true,
    inSearch: 'candidate',
  },
  situs_address: {
    type: 'text',
    maxLength: TEXT.address,
    description: 'Street address of the parcel.',
    example: '123 N ALDER ST',
    inTiles: true,
    inSearch: 'candidate',
  },
  situs_city: {
    type: 'text',
    maxLength: TEXT.label,
    description: 'City of the parcel.',
    example: 'WILLOWBROOK',
    inTiles: true,
    inSearch: 'candidate',
    layerColumn: { description: 'City of the street address.', example: 'SITUS_CITY' },
  },
  situs_state: {
    type: 'text',
    maxLength: TEXT.code,
    description: 'State of the parcel.',
    example: 'OR',
    inTiles: true,
    inSearch: 'candidate',
    layerColumn: { description: 'State of the street address, as two letters.', example: 'SITUS_STATE' },
  },
  situs_zip: {
    type: 'text',
    maxLength: TEXT.code,
    description: 'ZIP code of the parcel.',
    example: '97000',
    inTiles: true,
    inSearch: 'candidate',
    layerColumn: { description: 'ZIP code of the street address.', example: 'SITUS_ZIP' },
  },
  land_use_class: {
    type: 'text',
    maxLength: TEXT.label,
    description: 'Land use, as the source classifies it.',
    example: 'RESIDENTIAL',
    inTiles: true,
    inSearch: 'filter',
    layerColumn: { description: 'Land use.', example: 'USE_DESC' },
  },
  zoning_code: {
    type: 'text',
    maxLength: TEXT.label,
    description: 'Zoning code.',
    example: 'R-7',
    inTiles: true,
    inSearch: 'filter',
    layerColumn: { description: 'Zoning code.', example: 'ZONE' },
  },
  zoning_description: {
    type: 'text',
    maxLength: TEXT.text,
    description: 'What the zoning code means.',
    example: 'SINGLE FAMILY RESIDENTIAL',
    inTiles: true,
    inSearch: 'filter',
    layerColumn: { description: 'What the zoning code means.', example: 'ZONE_DESC' },
  },
  is_agricultural: {
    type: 'boolean',
    description: 'Whether it is farm land.',
    example: true,
    inTiles: true,
    inSearch: null,
  },
  assessed_value: {
    type: 'money',
    description: 'Assessed value, in whole dollars.',
    example: 350_000,
    inTiles: true,
    inSearch: 'candidate',
    layerColumn: { description: 'Assessed value.', example: 'ASSESSED' },
  },
  value_land: {
    type: 'money',
    description: 'Value of the land, in whole dollars.',
    example: 120_000,
    inTiles: true,
    inSearch: null,
    layerColumn: { description: 'Value of the land.', example: 'LAND_VALUE' },
  },
  value_improvement: {
    type: 'money',
    description: 'Value of the buildings, in whole dollars.',
    example: 230_000,
    inTiles: true,
    inSearch: null,
    layerColumn: { description: 'Value of the improvements.', example: 'BLDG_VALUE' },
  },
} as const satisfies Record<string, FieldOptions>

type Options = typeof PARCEL_FIELDS
export type ParcelFieldName = keyof Options

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** The name of a field in code: `zoningCode`. */
export type FieldKey<Name extends ParcelFieldName = ParcelFieldName> = CamelCase<Name>

export type ParcelField = FieldOptions<ParcelFieldName> & { name: ParcelFieldName; key: FieldKey }

export const fieldKey = <Name extends ParcelFieldName>(name: Name): FieldKey<Name> =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as FieldKey<Name>

/** The table as a list. */
export const parcelFields: readonly ParcelField[] = (Object.keys(PARCEL_FIELDS) as ParcelFieldName[]).map((name) => ({
  name,
  key: fieldKey(name),
  ...PARCEL_FIELDS[name],
}))

/** Their names, in the order of the API's full record, which has them all. */
export const RECORD_FIELDS: readonly ParcelFieldName[] = parcelFields.map(({ name }) => name)

export const isParcelField = <Name extends string>(name: Name): name is Extract<Name, ParcelFieldName> =>
  Object.hasOwn(PARCEL_FIELDS, name)

/** The columns that loads compare, merge and clear. */
export type LoadedColumn = ParcelFieldName | 'accounts'
export const LOADED_COLUMNS: readonly LoadedColumn[] = [...RECORD_FIELDS, 'accounts']

/** Fields that the change log names. */
export const LOGGED_FIELDS: readonly string[] = [
  ...LOADED_COLUMNS,
  'geom',
  'retired_at',
  'scrape_data',
  'scrape_data.NAME',
]

/** Whether the change log can name this field. `NAME` of `scrape_data.NAME` stands for any name. */
export const isLoggedField = (name: string): boolean =>
  LOGGED_FIELDS.includes(name) || /^scrape_data\.[A-Za-z0-9_]{1,100}$/.test(name)

type NamesWith<Like> = { [Name in ParcelFieldName]: Options[Name] extends Like ? Name : never }[ParcelFieldName]
export type TileFieldName = NamesWith<{ inTiles: true }>
export type CandidateFieldName = NamesWith<{ inSearch: 'candidate' }>
export type FilterFieldName = NamesWith<{ inSearch: 'filter' }>
export type SearchFieldName = CandidateFieldName | FilterFieldName
export type LayerFieldName = NamesWith<{ layerColumn: object }>

const namesWhere = (holds: (field: ParcelField) => boolean) => parcelFields.filter(holds).map(({ name }) => name)
export const TILE_FIELDS = namesWhere(({ inTiles }) => inTiles) as TileFieldName[]
export const CANDIDATE_FIELDS = namesWhere(({ inSearch }) => inSearch === 'candidate') as CandidateFieldName[]
export const FILTER_FIELDS = namesWhere(({ inSearch }) => inSearch === 'filter') as FilterFieldName[]
/** In the order of fields in search documents. The checksum of a document depends on this order. */
export const SEARCH_FIELDS: readonly SearchFieldName[] = [...CANDIDATE_FIELDS, ...FILTER_FIELDS]
export const LAYER_FIELDS = namesWhere((field) => 'layerColumn' in field) as LayerFieldName[]

/** The filter `zoning` of search matches the beginning of any of these. */
export const ZONING_FIELDS = [
  'zoning_code',
  'zoning_description',
  'land_use_class',
] as const satisfies readonly FilterFieldName[]

/** Maximum length of a parcel's texts, in characters. In a list it is for each text. */
export const PARCEL_TEXT = {
  source_parcel_id: TEXT.id,
  ...(Object.fromEntries(
    parcelFields.flatMap((field) => ('maxLength' in field ? [[field.name, field.maxLength]] : [])),
  ) as Record<NamesWith<{ maxLength: number }>, number>),
}

type FieldValue<Name extends ParcelFieldName> = TypedValues[Options[Name]['type']]

/** Values of fields, by their name in code. */
export type ParcelValues<Name extends ParcelFieldName = ParcelFieldName> = {
  [One in Name as FieldKey<One>]: FieldValue<One>
}

/** Values of fields as stored. Unknown values are null, and unknown lists are empty. */
export type StoredValues<Name extends ParcelFieldName = ParcelFieldName> = {
  [One in Name as FieldKey<One>]: FieldValue<One> extends unknown[] ? FieldValue<One> : FieldValue<One> | null
}
