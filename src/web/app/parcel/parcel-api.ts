import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, at } from '../api/api'
import type { ParcelName } from '../map/map-parcel'

export const parcelKey = ({ source, source_parcel_id }: ParcelName) => ['parcel', source, source_parcel_id]

/** `name` null: nothing is requested. A row that is younger than `staleTime` (in ms) is not requested again. */
export const useParcel = (name: ParcelName | null, staleTime?: number) =>
  useQuery({
    queryKey: name === null ? ['parcel', null] : parcelKey(name),
    queryFn:
      name === null
        ? skipToken
        : ({ signal }) =>
            ask(
              api.v1
                .parcels({ source: at(name.source) })({ id: at(name.source_parcel_id) })
                .get({ fetch: { signal } }),
            ),
    ...(staleTime === undefined ? {} : { staleTime }),
  })

export type Parcel = NonNullable<ReturnType<typeof useParcel>['data']>
export type Scrape = Extract<Parcel['scrape_data'], { parcel_number: string }>

export const useFindings = ({ source, source_parcel_id }: ParcelName) =>
  useQuery({
    queryKey: [...parcelKey({ source, source_parcel_id }), 'findings'],
    queryFn: ({ signal }) =>
      ask(
        api.v1
          .findings({ source: at(source) })({ id: at(source_parcel_id) })
          .get({ query: { dismissed: 'any' }, fetch: { signal } }),
      ),
  })

export const scrapeNow = ({ source, source_parcel_id }: ParcelName) =>
  ask(
    api.v1
      .parcels({ source: at(source) })({ id: at(source_parcel_id) })
      ['scrape-now'].post({}),
  )

export const useForgetParcel = () => {
  const queries = useQueryClient()
  return (name: ParcelName) => queries.invalidateQueries({ queryKey: parcelKey(name) })
}

/** What the last scrape found; null before the first one. */
export const scrapeOf = ({ scrape_data }: Parcel): Scrape | null =>
  'parcel_number' in scrape_data ? scrape_data : null
