import { type FieldType, PARCEL_FIELDS, type ParcelFieldName } from '../../core/parcels/fields'
import { LIST_FIELDS, type ListField } from '../../drizzle/queries/parcels/list-fields'

/** `id` is a text that identifies something; `time` an ISO 8601 text in UTC; `json` a list of objects. The others are the types of fields. */
export type ColumnType = FieldType | 'id' | 'time' | 'json'

export interface ExportColumn {
  name: string
  type: ColumnType
  description: string
}

const KEYS: readonly ExportColumn[] = [
  { name: 'id', type: 'id', description: 'Id of the record.' },
  { name: 'source', type: 'id', description: 'Slug of the source.' },
  { name: 'source_parcel_id', type: 'id', description: 'Id of the parcel, in the notation of its source.' },
]

/** The fields of lists that are not in the table of parcel fields, except the box: files with boundaries have their own. */
const OTHERS: Record<Exclude<ListField, ParcelFieldName | 'bbox'>, Omit<ExportColumn, 'name'>> = {
  state: { type: 'id', description: 'State of the source.' },
  county_name: { type: 'id', description: 'County of the source.' },
  scraped_at: { type: 'time', description: 'When the portal was last read.' },
  ingested_at: { type: 'time', description: 'When the service first stored the parcel.' },
  updated_at: { type: 'time', description: 'When the record last changed.' },
  retired_at: { type: 'time', description: 'When the source stopped listing the parcel.' },
  accounts: { type: 'json', description: "The rows of the assessor's roll, as a JSON array." },
}

export type ExportField = Exclude<ListField, 'bbox'>

/** The fields that an export can have, next to `id`, `source`, `source_parcel_id` and the boundary. */
export const EXPORT_FIELDS = LIST_FIELDS.filter((name): name is ExportField => name !== 'bbox')

/** The default fields of an export: all except accounts, which would make most exports needlessly large. */
export const DEFAULT_FIELDS = EXPORT_FIELDS.filter((name) => name !== 'accounts')

const columnOf = (name: ExportField): ExportColumn => ({
  name,
  ...(name in OTHERS ? OTHERS[name as keyof typeof OTHERS] : PARCEL_FIELDS[name as ParcelFieldName]),
})

/** The columns of an export with these fields, in the order of the database's rows. */
export const columnsOf = (fields: readonly ExportField[]): ExportColumn[] => [
  ...KEYS,
  ...EXPORT_FIELDS.filter((name) => fields.includes(name)).map(columnOf),
]
