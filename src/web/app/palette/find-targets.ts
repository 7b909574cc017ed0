import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, ask } from '../api/api'
import { askSearch, repeatSearchAfterMs } from '../api/ask-search'
import { repeatFailed } from '../api/queries'
import { companyPath, parcelPath } from '../pages/search/entries'
import { useViewer } from '../session/viewer'
import { CONSOLE, listDestinations, seesConsole } from '../shell/destinations'

/** A place that the palette leads to. */
export interface Target {
  href: string
  label: string
  /** Distinguishes it from others with the same label. */
  note: string
}

export interface TargetGroup {
  heading: string
  targets: Target[]
}

const MIN_QUERY = 2
const MAX_TARGETS = 6
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** The words of a text, in any script, without case and accents. */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Whether each word of the query begins a word of the text. A query without words matches nothing. */
const matches = (query: string, text: string): boolean => {
  const [parts, words] = [wordsOf(query), wordsOf(text)]
  return parts.length > 0 && parts.every((part) => words.some((word) => word.startsWith(part)))
}

const findParcelsAndCompanies = async (
  q: string,
  signal: AbortSignal,
): Promise<Record<'parcels' | 'companies', Target[]> & { isPartial: boolean }> => {
  const { results, isPartial } = await askSearch(
    api.v1.search.get({ query: { q, limit: MAX_TARGETS }, fetch: { signal } }),
  )
  return {
    isPartial,
    parcels: results.flatMap((hit) =>
      hit.kind === 'parcel'
        ? [
            {
              href: parcelPath(hit),
              label: hit.situs_address ?? hit.source_parcel_id,
              note: [hit.owner_name, hit.situs_city, hit.source_parcel_id].filter(Boolean).join(' · '),
            },
          ]
        : [],
    ),
    companies: results.flatMap((hit) =>
      hit.kind === 'entity'
        ? [{ href: companyPath(hit), label: hit.name, note: `${hit.jurisdiction} ${hit.registry_number}` }]
        : [],
    ),
  }
}

/** Sources and their vendors. Requested when the palette opens. */
const useSources = (isOn: boolean) =>
  useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => ask(api.v1.sources.get({ query: {}, fetch: { signal } })),
    enabled: isOn,
    staleTime: 60_000,
  }).data?.sources ?? []

interface Targets {
  groups: TargetGroup[]
  isSearching: boolean
  /** Whether the first target may still change: it is a parcel or company of the text before, or there is none yet. */
  isWaiting: boolean
  error: Error | null
}

/** The targets that match a query: pages, parcels, companies, sources, vendors, and the job with this id. */
export const useTargets = (query: string): Targets => {
  const viewer = useViewer()
  const isOperator = seesConsole(viewer)
  const q = query.trim()
  const isLong = q.length >= MIN_QUERY
  const isId = UUID.test(q)
  const searches = viewer.canRead && isLong && !isId
  const found = useQuery({
    queryKey: ['palette', q],
    queryFn: ({ signal }) => findParcelsAndCompanies(q, signal),
    enabled: searches,
    placeholderData: keepPreviousData,
    refetchInterval: (query) =>
      repeatFailed(query) || repeatSearchAfterMs(query.state.data?.isPartial === true, query.state.dataUpdateCount),
  })
  const sources = useSources(isOperator)
  const hits = searches ? found.data : undefined
  const vendors = [...new Set(sources.map(({ vendor }) => vendor))].sort()

  const pages = [
    // The console's own pages are listed below.
    ...listDestinations(viewer)
      .filter(({ under }) => under === undefined)
      .map(({ href, label }) => ({ href, label, note: '' })),
    { href: '/docs/reference', label: 'API reference', note: '' },
    ...(isOperator ? CONSOLE.map(({ href, label }) => ({ href, label, note: 'Console' })) : []),
  ]
  const ofSources = sources.map(({ source, county_name, state, vendor }) => ({
    href: `/app/console/sources/${encodeURIComponent(source)}`,
    label: `${county_name}, ${state}`,
    note: `${source} · ${vendor}`,
  }))
  const ofVendors = vendors.map((vendor) => ({
    href: `/app/console/concurrency/${encodeURIComponent(vendor)}`,
    label: vendor,
    note: '',
  }))
  const choose = (targets: Target[]) =>
    targets.filter(({ label, note }) => matches(q, `${label} ${note}`)).slice(0, MAX_TARGETS)

  const own = [
    {
      heading: 'Jobs',
      targets: isId && isOperator ? [{ href: `/app/console/jobs/${q}`, label: `Job ${q}`, note: '' }] : [],
    },
    { heading: 'Pages', targets: q === '' ? pages : choose(pages) },
    { heading: 'Sources', targets: isLong ? choose(ofSources) : [] },
    { heading: 'Vendors', targets: isLong ? choose(ofVendors) : [] },
  ]
  const searched = [
    { heading: 'Parcels', targets: hits?.parcels ?? [] },
    { heading: 'Companies', targets: hits?.companies ?? [] },
  ]
  const isEarlier = searches && (found.isPlaceholderData || found.isLoading)
  return {
    groups: [...own, ...searched].filter(({ targets }) => targets.length > 0),
    isSearching: found.isFetching,
    isWaiting: isEarlier && own.every(({ targets }) => targets.length === 0),
    error: found.error,
  }
}
