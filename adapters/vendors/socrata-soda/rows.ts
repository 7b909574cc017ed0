import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { MultiPolygon, Position } from 'geojson'
import type { RawDocument } from '../../adapter'
import { readJson } from '../../reading/read-json'
import { newestOf, type ReadRecords, readRecords, textIn } from '../../reading/record-map'
import { readDate } from '../../reading/values'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** A row omits columns without a value, except these two. */
const rowsSchema = Type.Array(
  Type.Object(
    { ':id': Type.String({ minLength: 1 }), ':updated_at': Type.String({ minLength: 1 }) },
    { additionalProperties: true },
  ),
)
export type SocrataRow = Static<typeof rowsSchema>[number] & Readonly<Record<string, unknown>>

const ring = Type.Array(Type.Array(Type.Number(), { minItems: 2 }), { minItems: 4 })
const boundary = Type.Union([
  Type.Object({ type: Type.Literal('Polygon'), coordinates: Type.Array(ring) }),
  Type.Object({ type: Type.Literal('MultiPolygon'), coordinates: Type.Array(Type.Array(ring)) }),
])

export const readRows = (documents: readonly RawDocument[]): SocrataRow[] => readJson(documents, 'rows', rowsSchema)

/** Combines the rows of one parcel: at least one. The boundary is from the newest rows; `updatedAt` is the newest of the rows' own times. */
export const readParcel = (
  rows: readonly SocrataRow[],
  config: Config,
): ReadRecords & { geom: MultiPolygon | null; updatedAt: string | undefined } => ({
  ...readRecords(rows, config, (row, column) => readDate(textIn(row, column))),
  geom: readBoundary(rows, config),
  updatedAt: rows
    .flatMap((row) => readDate(row[':updated_at']) ?? [])
    .toSorted()
    .at(-1),
})

/** @throws ScrapeError `page_changed` for a boundary of another type */
const readBoundary = (rows: readonly SocrataRow[], { columns, geometry }: Config): MultiPolygon | null => {
  const parts = new Map<string, Position[][]>()
  for (const row of newestOf(rows, columns)) {
    const value = geometry === undefined ? undefined : row[geometry]
    if (value === undefined || value === null) continue
    if (!Value.Check(boundary, value)) {
      throw new ScrapeError('page_changed', `${geometry} is not a boundary: ${JSON.stringify(value).slice(0, 80)}`)
    }
    for (const part of value.type === 'Polygon' ? [value.coordinates] : value.coordinates)
      parts.set(JSON.stringify(part), part)
  }
  return parts.size === 0 ? null : { type: 'MultiPolygon', coordinates: [...parts.values()] }
}

/** How current the data is: from its own column, the portal's header, the newest row's own time, or the latest year. */
export const agesOf = (document: RawDocument, { updatedOn, updatedAt, years }: ReadAges) => {
  const header = truthDateOf(document)
  return { marker: updatedOn ?? (header === undefined ? updatedAt : undefined), header, years }
}

type ReadAges = Pick<ReturnType<typeof readParcel>, 'updatedOn' | 'updatedAt' | 'years'>

/** When the data behind the response was last accurate; if the copy is out of date, the portal says which copy it served. */
const truthDateOf = ({ headers }: RawDocument): string | undefined =>
  readDate(
    headers['x-soda2-data-out-of-date'] === 'true'
      ? headers['x-soda2-secondary-last-modified']
      : headers['x-soda2-truth-last-modified'],
  )
