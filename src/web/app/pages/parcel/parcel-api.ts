import { skipToken, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { FILE_VENDOR } from '../../../../../core/sources/file-vendor'
import { api, ask, at } from '../../api/api'
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

const findParcelAt = ({ source, source_parcel_id }: ParcelName, asOf: string, signal: AbortSignal) =>
  ask(
    api.v1
      .parcels({ source: at(source) })({ id: at(source_parcel_id) })
      .get({ query: { as_of: asOf }, fetch: { signal } }),
  )

/** Where each field came from, and when. */
export const useProvenance = (name: ParcelName) =>
  useQuery({
    queryKey: [...parcelKey(name), 'provenance'],
    queryFn: ({ signal }) =>
      ask(
        api.v1
          .parcels({ source: at(name.source) })({ id: at(name.source_parcel_id) })
          .provenance.get({ fetch: { signal } }),
      ),
  })

/** The URL of the portal's page that the newest field was read from. Null: none is known. */
export const usePortalPage = (name: ParcelName): string | null => {
  const { data } = useProvenance(name)
  const [newest] = (data?.fields ?? [])
    .filter(({ page }) => page !== null && URL.canParse(page) && /^https?:/.test(page))
    .sort((a, b) => (b.observed_at ?? '').localeCompare(a.observed_at ?? ''))
  return newest?.page ?? null
}

/** Whether its parcels can be scraped: it is not retired, and they do not come from files. */
export const hasPortal = ({ vendor, retired_at }: { vendor: string; retired_at: string | null }): boolean =>
  vendor !== FILE_VENDOR && retired_at === null

/** Why parcels of the source are never scraped, as the end of a sentence; null: they are scraped, or it is not known yet. */
export const whyNeverScraped = (source: Parameters<typeof hasPortal>[0] | undefined): string | null => {
  if (source === undefined || hasPortal(source)) return null
  return source.vendor === FILE_VENDOR ? 'this source is loaded from files' : 'this source is retired'
}

/** The parcel as it was at a time (ISO 8601). `asOf` null: nothing is requested. */
export const useParcelAt = (name: ParcelName, asOf: string | null) =>
  useQuery({
    queryKey: [...parcelKey(name), 'as-of', asOf],
    queryFn: asOf === null ? skipToken : ({ signal }) => findParcelAt(name, asOf, signal),
  })

/** The last moment before a change. */
export const justBefore = (changedAt: string): string => new Date(Date.parse(changedAt) - 1).toISOString()

/** The boundary before and after a change. */
export const useBoundaries = (name: ParcelName, changedAt: string, isWanted: boolean) =>
  useQuery({
    queryKey: [...parcelKey(name), 'boundaries', changedAt],
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all(
        [justBefore(changedAt), changedAt].map((asOf) => findParcelAt(name, asOf, signal)),
      )
      return { former: before?.geom_geojson ?? null, next: after?.geom_geojson ?? null }
    },
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  })

const CHANGES = 10

const listHistory = ({ source, source_parcel_id }: ParcelName, after: number | null, signal: AbortSignal) =>
  ask(
    api.v1
      .parcels({ source: at(source) })({ id: at(source_parcel_id) })
      .history.get({ query: { limit: CHANGES, ...(after === null ? {} : { after }) }, fetch: { signal } }),
  )
export type Change = Awaited<ReturnType<typeof listHistory>>['changes'][number]

/** The changes of a parcel, newest first, by pages. */
export const useHistory = (name: ParcelName) =>
  useInfiniteQuery({
    queryKey: [...parcelKey(name), 'history'],
    queryFn: ({ signal, pageParam }) => listHistory(name, pageParam, signal),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })

/** What an undo undid, from its work, which only admins may read. Null: not known yet, or no longer. */
export const useUndone = (undoId: string | null): Pick<Change, 'cause' | 'cause_id'> | null => {
  const work = useQuery({
    queryKey: ['work', undoId],
    queryFn:
      undoId === null ? skipToken : ({ signal }) => ask(api.v1.work({ id: at(undoId) }).get({ fetch: { signal } })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  // The type of the route has no members here, because they depend on the kind.
  const payload = work.data?.payload as { cause?: Change['cause']; cause_id: string } | undefined
  return payload === undefined ? null : { cause: payload.cause ?? null, cause_id: payload.cause_id }
}

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
