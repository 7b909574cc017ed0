import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useAddressText } from '../../address'
import { api, ask } from '../../api/api'
import { askSearch, repeatSearchAfterMs } from '../../api/ask-search'
import { fetchNext } from '../../api/fetch-next'
import { PAGED, repeatFailed } from '../../api/queries'
import { useViewer } from '../../session/viewer'
import { useCoverage } from '../coverage/coverage-api'
import { boxAround, readArea, toPolygon } from '../map/drawing/area'
import type { MapHit } from '../map/map-parcel'
import { type Conditions, type Filters, isNarrow } from './filters/filters'
import { useIsChanging } from './use-is-changing'

const FIRST_HITS = 20
const MORE_HITS = 50
const LISTED = 100
/** Longer than the pause between two typed letters. */
const TYPING_MS = 300
const NONE: Hit[] = []

/** The fields of a row of the table, next to its id. */
const ROW_FIELDS =
  'owner_name,situs_address,situs_city,situs_state,assessed_value,value_land,value_improvement,acreage,land_use_class,zoning_code,state,county_name,updated_at,bbox'

const findHits = (filters: Filters, after: string | null, signal: AbortSignal, counts = false) =>
  askSearch(
    api.v1.search.get({
      query: {
        q: filters.q,
        limit: counts ? 1 : after === null ? FIRST_HITS : MORE_HITS,
        highlight: '1',
        center: '1',
        ...(filters.types === 'all' ? {} : { types: filters.types }),
        ...(filters.state === '' ? {} : { state: filters.state }),
        ...(filters.isGrouped ? { group: 'owner' } : {}),
        ...toSearchQuery(filters.conditions),
        ...(counts ? { total: '1' } : {}),
        ...(after === null ? {} : { after }),
      },
      fetch: { signal },
    }),
  )
type SearchedPage = Awaited<ReturnType<typeof findHits>>
type SearchHit = SearchedPage['results'][number]

/** The conditions as parameters of a search. A search cannot filter by owner or time of change, and takes the bounding box of an area. */
const toSearchQuery = ({ area, owner, changed_since, ...conditions }: Conditions) => {
  const box = area === undefined ? conditions.bbox : boxAround(readArea(area))?.join()
  return { ...toNumbers(conditions), ...(box === undefined ? {} : { bbox: box }) }
}

const AMOUNTS = ['min_value', 'max_value', 'min_acres', 'max_acres'] as const
type Amount = (typeof AMOUNTS)[number]

const toNumbers = (conditions: Omit<Conditions, 'area'>) => ({
  ...(conditions as Omit<Conditions, 'area' | Amount>),
  ...(Object.fromEntries(
    AMOUNTS.flatMap((name) => (conditions[name] === undefined ? [] : [[name, Number(conditions[name])]])),
  ) as Partial<Record<Amount, number>>),
})

/** The filters as the parameters of a list of parcels, and the area as GeoJSON. */
export const toListQuery = ({ conditions: { area, ...conditions }, state }: Filters) => ({
  query: { ...toNumbers(conditions), ...(state === '' ? {} : { state }) },
  polygon: area === undefined ? null : toPolygon(readArea(area)),
})

/** The columns that the service can sort lists of parcels by. */
const SERVICE_SORTS = ['assessed_value', '-assessed_value', 'acreage', '-acreage', 'updated_at', '-updated_at'] as const
export type ServiceSort = (typeof SERVICE_SORTS)[number]

/** The order of a list of parcels, from the URL. Null: the service's own order. */
export const useServiceSort = (): ServiceSort | null => {
  const text = useAddressText('sort')
  return SERVICE_SORTS.find((sort) => sort === text) ?? null
}

interface ListWanted {
  sort: ServiceSort | null
  after: string | null
  limit?: number
  withGeometry?: boolean
}

const listParcels = async (
  filters: Filters,
  { sort, after, limit = LISTED, withGeometry = false }: ListWanted,
  signal: AbortSignal,
) => {
  const { query: conditions, polygon } = toListQuery(filters)
  const query = {
    ...conditions,
    fields: ROW_FIELDS,
    limit,
    ...(sort === null ? {} : { sort }),
    ...(withGeometry ? { geometry: 'full' as const } : {}),
    ...(after === null ? { count: 'estimate' as const } : { after }),
  }
  return polygon === null
    ? ask(api.v1.parcels.get({ query, fetch: { signal } }))
    : ask(api.v1.parcels.within.post(polygon, { query, fetch: { signal } }))
}
type ListedParcel = Awaited<ReturnType<typeof listParcels>>['parcels'][number]

type SearchedParcel = Extract<SearchHit, { kind: 'parcel' }>
export type EntityHit = Extract<SearchHit, { kind: 'entity' }>
export type OwnerGroup = Omit<Extract<SearchHit, { kind: 'owner-group' }>, 'members'> & { members: ParcelHit[] }
/** A parcel that a search or a list found. Only lists have all fields. */
export type ParcelHit = Omit<SearchedParcel, 'score'> &
  Partial<
    Pick<
      ListedParcel,
      'acreage' | 'land_use_class' | 'zoning_code' | 'value_land' | 'value_improvement' | 'updated_at' | 'geom_geojson'
    >
  >
export type Hit = ParcelHit | EntityHit | OwnerGroup

export const toHit = ({ bbox, ...parcel }: ListedParcel): ParcelHit => {
  const [west = 0, south = 0, east = 0, north = 0] = bbox ?? []
  return {
    ...parcel,
    kind: 'parcel',
    state: parcel.state ?? '',
    county_name: parcel.county_name ?? '',
    owner_name: parcel.owner_name ?? null,
    situs_address: parcel.situs_address ?? null,
    situs_city: parcel.situs_city ?? null,
    situs_state: parcel.situs_state ?? null,
    assessed_value: parcel.assessed_value ?? null,
    center: bbox == null ? null : [(west + east) / 2, (south + north) / 2],
  }
}

interface Page {
  hits: Hit[]
  next: string | null
  /** Undefined: this page was not counted. */
  total?: number | undefined
  isTotalExact?: boolean | undefined
  corrected?: string | undefined
  /** The service was overloaded, so hits may be missing. */
  isPartial?: boolean
}

const searchPage = async (filters: Filters, after: string | null, signal: AbortSignal): Promise<Page> => {
  const { results, next, total, total_is_exact, corrected, isPartial } = await findHits(filters, after, signal)
  return { hits: results, next, total, isTotalExact: total_is_exact, corrected, isPartial }
}

const listPage = async (filters: Filters, wanted: ListWanted, signal: AbortSignal): Promise<Page> => {
  const { parcels, next, total, total_is_exact } = await listParcels(filters, wanted, signal)
  return { hits: parcels.map(toHit), next, total, isTotalExact: total_is_exact }
}

/** `text`: a search by text. `list`: a list by conditions. `wide`: the conditions need a place. `none`: nothing is searched for. */
type Mode = 'text' | 'list' | 'wide' | 'none'

export const modeOf = ({ q, conditions }: Filters): Mode =>
  [...q.trim()].length >= 2
    ? 'text'
    : isNarrow(conditions)
      ? 'list'
      : Object.keys(conditions).length > 0
        ? 'wide'
        : 'none'

/** A service with a single source needs no place to list parcels. */
const useWithOnlySource = (filters: Filters): Filters => {
  const { data } = useCoverage()
  const [only, ...others] = data?.sources ?? []
  const source = others.length === 0 ? only?.source : undefined
  return useMemo(
    () =>
      source === undefined || modeOf(filters) !== 'wide'
        ? filters
        : { ...filters, conditions: { ...filters.conditions, source } },
    [filters, source],
  )
}

/**
 * The parcels and entities that the filters find, page after page. While someone types, a new text aborts the previous request; the last
 * hits stay until the next ones arrive.
 */
export const useResults = (chosen: Filters) => {
  const sort = useServiceSort()
  const { canRead } = useViewer()
  const filters = useWithOnlySource(chosen)
  const q = filters.q.trim()
  const mode = modeOf(filters)
  const wanted = { ...filters, q: mode === 'text' ? q : '' }
  const order = mode === 'list' ? sort : null
  const isAsking = mode === 'text' || mode === 'list'
  const query = useInfiniteQuery({
    queryKey: ['results', wanted, order],
    queryFn: ({ signal, pageParam }) =>
      mode === 'text'
        ? searchPage(wanted, pageParam, signal)
        : listPage(wanted, { sort: order, after: pageParam }, signal),
    ...PAGED,
    enabled: canRead && isAsking,
    placeholderData: keepPreviousData,
    staleTime: ({ state }) => (isPartial(state.data) ? 0 : 60_000),
    // Once further pages are loaded, the hits stay as they are.
    refetchInterval: (query) => {
      const { data, dataUpdateCount } = query.state
      return repeatFailed(query) || repeatSearchAfterMs(data?.pages.length === 1 && isPartial(data), dataUpdateCount)
    },
  })
  const { data, error, isPlaceholderData } = query
  const isTyping = useIsChanging(chosen.q, TYPING_MS)
  const first = data?.pages[0]
  const last = data?.pages.at(-1)
  // A count of all hits takes longer, so it comes after the hits.
  const isCounted = last?.isTotalExact === true || last?.next === null || mode !== 'text'
  const { data: counted } = useQuery({
    queryKey: ['results', wanted, 'total'],
    queryFn: ({ signal }) => findHits(wanted, null, signal, true),
    enabled: canRead && !isTyping && !isPlaceholderData && first !== undefined && !isCounted && !isPartial(data),
    staleTime: 60_000,
  })
  const hits = useHits(isAsking && canRead ? data : undefined)
  const hasMore = query.hasNextPage && !isPlaceholderData
  const places = useMemo(() => placesOf(hits), [hits])
  return {
    mode,
    hits,
    places,
    error,
    isAsking,
    isPlaceholderData,
    isTyping,
    filters: wanted,
    order,
    isReady: first !== undefined,
    isPartial: isPartial(data),
    /** Whether there are parcels among the hits, but the location of none is known. */
    isUnplaced: places.length === 0 && hits.some(({ kind }) => kind === 'parcel' || kind === 'owner-group'),
    /** Whether the hits of what is typed have not arrived yet. */
    isWaiting: isAsking && canRead && error === null && (isPlaceholderData || first === undefined),
    corrected: first?.corrected,
    total: describeTotal(hits.length, data?.pages ?? [], counted),
    hasMore,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => {
      if (hasMore && !query.isFetchingNextPage) void fetchNext(query)
    },
  }
}

export type Results = ReturnType<typeof useResults>

const isPartial = (data: InfiniteData<Page> | undefined): boolean =>
  data?.pages.some((page) => page.isPartial === true) === true

interface Total {
  count: number
  /** Whether there are no more. */
  isExact: boolean
}

/** How many hits all pages have. Later pages and `counted` have counted them. */
const describeTotal = (shown: number, pages: readonly Page[], counted: SearchedPage | undefined): Total => {
  if (pages.at(-1)?.next === null && shown < MAX_SEARCHED) return { count: shown, isExact: true }
  const totals = [...pages, { total: counted?.total, isTotalExact: counted?.total_is_exact }]
  return {
    count: Math.max(shown, ...totals.map(({ total }) => total ?? 0)),
    isExact: totals.some(({ isTotalExact }) => isTotalExact === true),
  }
}

/** A search has no pages after this many hits. */
const MAX_SEARCHED = 1_000

const useHits = (data: InfiniteData<Page> | undefined): readonly Hit[] =>
  useMemo(() => data?.pages.flatMap(({ hits }) => hits) ?? NONE, [data])

/** The positions of the hits, including all members of owners' groups. */
const placesOf = (hits: readonly Hit[]): MapHit[] =>
  hits
    .flatMap((hit): ParcelHit[] => (hit.kind === 'parcel' ? [hit] : hit.kind === 'owner-group' ? hit.members : []))
    .flatMap(({ source, source_parcel_id, situs_address, owner_name, center }) => {
      const [lon, lat] = center ?? []
      if (lon === undefined || lat === undefined) return []
      return [
        { id: `parcel:${source}/${source_parcel_id}`, source, source_parcel_id, situs_address, owner_name, lon, lat },
      ]
    })

/** The hits as rows of a table, where each parcel of an owner has a row of its own. */
export const listRows = (hits: readonly Hit[]): (ParcelHit | EntityHit)[] =>
  hits.flatMap((hit) => (hit.kind === 'owner-group' ? hit.members : [hit]))

const MAX_PAGE = 1_000

/** Reads pages in the order of the list until `most` parcels are read. Text searches have no order, and no more than 1,000 hits. */
export async function* readAllPages(
  filters: Filters,
  { most, order, withGeometry }: { most: number; order: ServiceSort | null; withGeometry: boolean },
  signal: AbortSignal,
): AsyncGenerator<{ parcels: ParcelHit[]; isPartial: boolean }> {
  let [after, read] = [null as string | null, 0]
  do {
    const limit = Math.min(MAX_PAGE, most - read)
    const page: Page =
      modeOf(filters) === 'text'
        ? await searchPage({ ...filters, types: 'parcels', isGrouped: false }, after, signal)
        : await listPage(filters, { sort: order, after, limit, withGeometry }, signal)
    const parcels = page.hits.filter((hit) => hit.kind === 'parcel')
    yield { parcels, isPartial: page.isPartial === true }
    read += parcels.length
    after = page.next
  } while (after !== null && read < most)
}
