import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type JobEvent, useEvents } from '../../../api/events'
import { PAGED } from '../../../api/queries'
import { useThrottled } from '../use-throttled'
import { type Job, type JobPage, listJobs } from './job-api'
import { fits, type JobsFilter, queryOf } from './jobs-filter'

const PAGE = 100
const REFRESH_EVERY_MS = 2_000
const NO_IDS: ReadonlySet<string> = new Set()

/** The jobs after a change of one. Each row keeps its place, also if it no longer matches the filter. */
const withJob = (known: InfiniteData<JobPage>, changed: Pick<Job, 'id'> & Partial<Job>) => ({
  ...known,
  pages: known.pages.map((page) => ({
    ...page,
    jobs: page.jobs.map((row) => (row.id === changed.id ? { ...row, ...changed } : row)),
  })),
})

/**
 * The jobs of a filter, newest first. The event stream keeps them current. New jobs do not move the rows, so that a row stays under
 * the pointer: they are counted in `newCount`, and `showNew` shows them. `replace` changes the row of a job.
 */
export const useLiveJobs = (filter: JobsFilter) => {
  const queries = useQueryClient()
  const queryKey = ['jobs', filter]
  const jobs = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      listJobs(queryOf(filter), { limit: PAGE, ...(pageParam === null ? {} : { after: pageParam }) }, signal),
    ...PAGED,
    // It would move rows.
    refetchOnWindowFocus: false,
  })
  const rows = jobs.data?.pages.flatMap((page) => page.jobs) ?? []
  const replace = (changed: Parameters<typeof withJob>[1]) =>
    queries.setQueryData<typeof jobs.data>(queryKey, (known) => known && withJob(known, changed))
  const [newIds, setNewIds] = useState(NO_IDS)
  const showNew = () => {
    setNewIds(NO_IDS)
    return queries.invalidateQueries({ queryKey: ['jobs'] })
  }
  const showNewSoon = useThrottled(showNew, REFRESH_EVERY_MS)
  const isLive = useEvents(['job'], ({ event, data }) => {
    if (event === 'reset') return showNewSoon()
    const job = data as JobEvent
    const { at: _, ...changed } = job
    replace(changed)
    if (!fits(job, filter) || rows.some(({ id }) => id === job.id)) return
    if (rows.length === 0) return showNewSoon()
    // Ids grow with time. Jobs that are older than the last row belong to a later page.
    if (rows.length < PAGE || job.id > (rows.at(-1)?.id ?? '')) setNewIds((ids) => new Set(ids).add(job.id))
  })
  // They fit the former filter.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is what makes them old.
  useEffect(() => setNewIds(NO_IDS), [filter])
  return { jobs, rows, newCount: newIds.size, showNew, isLive, replace }
}
