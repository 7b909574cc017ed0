import { api, ask } from '../../../api/api'
import type { Filters } from '../../search/filters/filters'
import { toListQuery } from '../../search/results'

/** The layer that maps show. It has all parcels. */
export const MAIN_LAYER = 'parcels'

export const getTiles = (layer: string, signal: AbortSignal) =>
  ask(api.v1.admin.tiles.get({ query: { layer }, fetch: { signal } }))

/** Builds a layer again with its filter, which a build of it names. */
export const buildTiles = (layer: string, filter: Record<string, unknown>) =>
  ask(api.v1.admin.tiles.build.post({ layer, filter: filter as Record<string, string | number | boolean> }))

/** Builds a layer of the parcels that meet the filters of the page. */
export const buildLayer = (layer: string, filters: Filters) => {
  const { bbox, ...filter } = toListQuery(filters).query
  return buildTiles(layer, filter)
}
