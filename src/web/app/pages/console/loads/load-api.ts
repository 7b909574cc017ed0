import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, at } from '../../../api/api'
import { useEvents } from '../../../api/events'
import { PAGED, repeatEvery } from '../../../api/queries'
import type { Tone } from '../../../ui/notice'
import { useThrottled } from '../use-throttled'

const REFRESH_EVERY_MS = 400
const PAGE = 20
/** Of all sources together: the largest page of the API. */
const MAX_HELD = 500
/** In case an event is missed. */
const REFETCH_MS = 30_000

interface LoadFilter {
  source?: string
  status?: 'held' | 'applying'
  after?: string
  limit: number
}

const listLoads = (filter: LoadFilter, signal: AbortSignal) =>
  ask(api.v1.loads.get({ query: filter, fetch: { signal } }))
export type Load = Awaited<ReturnType<typeof listLoads>>['loads'][number]

const loadOf = (id: string) => api.v1.loads({ id: at(id) })
export const orderOnLoad = {
  apply: (id: string) => ask(loadOf(id).apply.post()),
  discard: (id: string) => ask(loadOf(id).discard.post()),
  undo: (id: string) => ask(loadOf(id).undo.post()),
} as const
export type LoadAction = keyof typeof orderOnLoad

const listLoadWork = (status: 'queued' | 'running', signal: AbortSignal) =>
  ask(api.v1.work.get({ query: { kind: 'load', status, limit: MAX_HELD }, fetch: { signal } }))

/** Work that applies or undoes a load, and is not done. */
export interface LoadWork {
  action: 'apply' | 'undo'
  isRunning: boolean
  done: number
}

/** What the work is for. The route's type has no members here, because they depend on the kind of work. */
interface LoadPayload {
  action: 'ingest' | 'apply' | 'undo'
  cause_id: string
}

/** By the id of the load. */
const findOrderedWork = async (signal: AbortSignal): Promise<Map<string, LoadWork>> => {
  const lists = await Promise.all([listLoadWork('queued', signal), listLoadWork('running', signal)])
  const ordered = new Map<string, LoadWork>()
  for (const { payload, status, done } of lists.flatMap(({ work }) => work)) {
    const { action, cause_id } = payload as LoadPayload
    if (action !== 'ingest') ordered.set(cause_id, { action, isRunning: status === 'running', done })
  }
  return ordered
}

export interface FollowedLoad {
  load: Load
  /** Null: no work on it is queued or running. */
  work: LoadWork | null
}

const withWork = async (loads: Load[], signal: AbortSignal): Promise<FollowedLoad[]> => {
  const work = await findOrderedWork(signal)
  return loads.map((load) => ({ load, work: work.get(load.id) ?? null }))
}

/** Loads with the work on them. They follow the event stream. */
const useFollowedLoads = (name: string, find: (signal: AbortSignal) => Promise<Load[]>) => {
  const loads = useQuery({
    queryKey: ['loads', name],
    queryFn: async ({ signal }) => withWork(await find(signal), signal),
    refetchInterval: repeatEvery(REFETCH_MS),
  })
  return { loads, refresh: useLoadEvents() }
}

/** Refreshes all lists of loads when one changes. Returns what refreshes them now. */
const useLoadEvents = () => {
  const queries = useQueryClient()
  const refresh = async () => {
    await Promise.all(['loads', 'coverage'].map((name) => queries.invalidateQueries({ queryKey: [name] })))
  }
  const refreshSoon = useThrottled(() => void refresh(), REFRESH_EVERY_MS)
  useEvents(['load', 'work'], ({ event, data }) => {
    if (event !== 'work' || (data as { kind: string }).kind === 'load') refreshSoon()
  })
  return refresh
}

/** Loads of all sources that are held, or that are applied after they were held. */
export const useHeldLoads = () =>
  useFollowedLoads('held', async (signal) => {
    const list = async (status: 'held' | 'applying') => (await listLoads({ status, limit: MAX_HELD }, signal)).loads
    // A load that somebody applies between the two responses is in both.
    const held = await list('held')
    const applying = (await list('applying')).filter(({ verdict }) => isOver(verdict))
    return [...applying, ...held.filter(({ id }) => !applying.some((one) => one.id === id))]
  })

/** The loads of a source by pages, newest first. */
export const useLoadsOf = (source: string) => {
  const loads = useInfiniteQuery({
    queryKey: ['loads', 'pages', source],
    queryFn: async ({ signal, pageParam: after }) => {
      const { loads, next } = await listLoads({ source, limit: PAGE, ...(after === null ? {} : { after }) }, signal)
      return { loads: await withWork(loads, signal), next }
    },
    ...PAGED,
    refetchInterval: repeatEvery(REFETCH_MS),
  })
  return { loads, refresh: useLoadEvents() }
}

export const useLoad = (id: string) =>
  useFollowedLoads(id, async (signal) => [await ask(loadOf(id).get({ fetch: { signal } }))])

const KINDS = { ingest: 'File', crawl: 'Crawl' } as const

/** The file, or the kind of the load. */
export const nameOfLoad = ({ kind, file }: Load): string => file ?? KINDS[kind]

export const LOAD_TONES: Record<Load['status'], Tone> = {
  staging: 'plain',
  held: 'warn',
  applying: 'plain',
  applied: 'good',
  discarded: 'plain',
  undone: 'plain',
  failed: 'bad',
}

export const isOver = (verdict: Load['verdict']): boolean => verdict?.checks.some(({ is_over }) => is_over) ?? false
