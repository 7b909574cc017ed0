import { api, ask, at } from '../app/api'
import type { ParcelName } from '../app/map/parcel-map'

export const searchParcels = async (q: string, signal: AbortSignal) => {
  const { results } = await ask(api.v1.search.get({ query: { q, types: 'parcels', limit: 8 }, fetch: { signal } }))
  return results.filter((hit) => hit.kind === 'parcel')
}
export type Hit = Awaited<ReturnType<typeof searchParcels>>[number]

export const getParcel = ({ source, source_parcel_id }: ParcelName, signal?: AbortSignal) =>
  ask(
    api.v1
      .parcels({ source: at(source) })({ id: at(source_parcel_id) })
      .get({ fetch: signal ? { signal } : {} }),
  )
export type Parcel = Awaited<ReturnType<typeof getParcel>>
