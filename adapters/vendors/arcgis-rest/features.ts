import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { MultiPolygon, Position } from 'geojson'
import type { RawDocument } from '../../adapter'
import { type LayerRecord, newestOf, type ReadRecords, readRecords, textIn } from '../../reading/record-map'
import { readDate, readEpochDate } from '../../reading/values'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { ringsToMultiPolygon } from './esri-rings'
import { expectColumns, type Layer } from './layer'
import { readAnswer } from './read-answer'

const answerSchema = Type.Object({
  features: Type.Array(
    Type.Object({
      attributes: Type.Record(Type.String(), Type.Unknown()),
      geometry: Type.Optional(Type.Unknown()),
    }),
  ),
  exceededTransferLimit: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  spatialReference: Type.Optional(
    Type.Object({ wkid: Type.Optional(Type.Integer()), latestWkid: Type.Optional(Type.Integer()) }),
  ),
})
export type Answer = Static<typeof answerSchema>
export type Feature = Answer['features'][number]

const WGS84 = 4326
const polygon = Type.Object({ rings: Type.Array(Type.Array(Type.Array(Type.Number(), { minItems: 2 }))) })

/** @throws ScrapeError `page_changed` when a column is missing, or the boundaries are not in degrees */
export const readFeatures = (documents: readonly RawDocument[], config: Config): Answer => {
  const answer = readAnswer(documents, 'features', answerSchema)
  for (const { attributes } of answer.features) expectColumns(Object.keys(attributes), config)
  const { wkid, latestWkid } = answer.spatialReference ?? {}
  const isDrawn = answer.features.some(({ geometry }) => Value.Check(polygon, geometry))
  if (isDrawn && wkid !== WGS84 && latestWkid !== WGS84) {
    throw new ScrapeError(
      'page_changed',
      `spatialReference is ${latestWkid ?? wkid ?? 'missing'}, not ${WGS84} as requested`,
    )
  }
  return answer
}

/** Combines the features of one parcel: at least one. `geom` is null when no feature has a boundary. */
export const readParcel = (
  features: readonly Feature[],
  config: Config,
  { types }: Layer,
): ReadRecords & { geom: MultiPolygon | null } => {
  const readDay = (record: LayerRecord, column: string) =>
    types.get(column) === 'esriFieldTypeDate' && typeof record[column] === 'number'
      ? readEpochDate(record[column])
      : readDate(textIn(record, column))
  const records = features.map(({ attributes }) => attributes)
  const newest = new Set(newestOf(records, config.columns))
  const rings = features.flatMap(({ attributes, geometry }) => (newest.has(attributes) ? ringsOf(geometry) : []))
  return {
    ...readRecords(records, config, readDay),
    geom: ringsToMultiPolygon(rings),
  }
}

/** @throws ScrapeError `page_changed` for a boundary that is neither rings nor a point */
const ringsOf = (geometry: unknown): Position[][] => {
  if (Value.Check(polygon, geometry)) return geometry.rings
  // Layers of points describe parcels too, but without boundaries.
  if (geometry === undefined || geometry === null || (typeof geometry === 'object' && 'x' in geometry)) return []
  throw new ScrapeError('page_changed', `rings are missing from the boundary ${JSON.stringify(geometry).slice(0, 80)}`)
}
