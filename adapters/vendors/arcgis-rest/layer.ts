import { type Static, Type } from '@sinclair/typebox'
import type { RawDocument } from '../../adapter'
import { columnsOf } from '../../reading/record-map'
import { readEpochDate } from '../../reading/values'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { readAnswer } from './read-answer'

const maybe = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

const layerSchema = Type.Object({
  fields: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  objectIdField: maybe(Type.String()),
  maxRecordCount: maybe(Type.Integer()),
  advancedQueryCapabilities: maybe(
    Type.Object({ supportsPagination: maybe(Type.Boolean()), supportsOrderBy: maybe(Type.Boolean()) }),
  ),
  editingInfo: maybe(Type.Object({ dataLastEditDate: maybe(Type.Number()) })),
})

/** A layer's description of itself. */
export interface Layer {
  /** The type of each column, by name. */
  types: ReadonlyMap<string, string>
  /** Null: the layer has no object ids and cannot be crawled. */
  objectIdField: string | null
  /** Null: not reported. */
  maxRecordCount: number | null
  canPage: boolean
  /** The date of the last data edit. `lastEditDate` is not used: it also changes with the layer's definition. */
  editedOn: string | undefined
}

/** @throws ScrapeError `page_changed` naming a column that the layer does not have */
export const readLayer = (documents: readonly RawDocument[], config: Config): Layer => {
  const layer: Static<typeof layerSchema> = readAnswer(documents, 'layer', layerSchema)
  const types = new Map(layer.fields.map(({ name, type }) => [name, type]))
  expectColumns([...types.keys()], config)
  const capabilities = layer.advancedQueryCapabilities
  return {
    types,
    // MapServers mark it only by its type.
    objectIdField: layer.objectIdField || (layer.fields.find(({ type }) => type === 'esriFieldTypeOID')?.name ?? null),
    maxRecordCount: layer.maxRecordCount ?? null,
    canPage: capabilities?.supportsPagination === true && capabilities.supportsOrderBy === true,
    editedOn: readEpochDate(layer.editingInfo?.dataLastEditDate),
  }
}

/** @throws ScrapeError `page_changed` naming the missing column */
export const expectColumns = (there: readonly string[], { columns }: Config): void => {
  const missing = columnsOf(columns).find((name) => !there.includes(name))
  if (missing === undefined) return
  const known = there.slice(0, 100).join(', ')
  throw new ScrapeError('page_changed', `the layer has no column "${missing}": it has ${known}`)
}
