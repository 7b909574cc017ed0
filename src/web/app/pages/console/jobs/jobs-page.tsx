import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { FAILURE_CLASSES, type FailureClassName } from '../../../../../../core/sources/failure-classes'
import { countNoun } from '../../../../../../core/text/count-noun'
import { changeAddress, useAddressField, useAddressParams } from '../../../address'
import { type JobEvent, useEvents } from '../../../api/events'
import { formatDuration } from '../../../format'
import { useViewer } from '../../../session/viewer'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DataTable } from '../../../ui/data-table'
import { Field } from '../../../ui/form/field'
import { SearchField } from '../../../ui/form/search-field'
import { Select } from '../../../ui/form/select'
import { Loaded, Trouble } from '../../../ui/loaded'
import { OlderRows } from '../../../ui/older-rows'
import { Time } from '../../../ui/time'
import { parcelPath } from '../../search/entries'
import { ConsolePage } from '../console-page'
import { useThrottled } from '../use-throttled'
import { BulkActions } from './bulk-actions'
import { cancelJob, type Job, type JobFilter, type JobPage, listJobs, retryJob, useSourceNames } from './job-api'
import { JobTotals } from './job-totals'
import { OrderDialog, type PlacedOrder } from './order-dialog'
import { OrderProgress } from './order-progress'

type Status = Job['status']

interface Filter {
  status: Status | ''
  source: string
  parcelId: string
  failureClass: FailureClassName | ''
}

const PAGE = 100
const REFRESH_EVERY_MS = 2_000

export const JOB_TONES = { queued: 'plain', running: 'warn', done: 'good', error: 'bad' } as const

const readFilter = (params: URLSearchParams): Filter => {
  const status = params.get('status')
  return {
    status: status === 'queued' || status === 'running' || status === 'done' || status === 'error' ? status : '',
    source: (params.get('source') ?? '').trim(),
    parcelId: params.get('parcel_id') ?? '',
    failureClass: FAILURE_CLASSES.find(({ name }) => name === params.get('failure_class'))?.name ?? '',
  }
}

/** A class of failures is looked up in one source, and selects failed jobs by itself. */
const queryOf = ({ status, source, parcelId, failureClass }: Filter): JobFilter =>
  failureClass !== '' && source !== ''
    ? { source, failure_class: failureClass }
    : {
        ...(status === '' ? {} : { status }),
        ...(source === '' ? {} : { source }),
        ...(parcelId.trim() === '' ? {} : { parcel_id: parcelId.trim() }),
      }

const fits = (job: JobEvent, { status, source, parcelId, failureClass }: Filter): boolean =>
  failureClass === '' &&
  (status === '' || job.status === status) &&
  (source === '' || job.source === source) &&
  (parcelId.trim() === '' || job.source_parcel_id === parcelId.trim())

/** The jobs after a change of one. Each row keeps its place, also if it no longer matches the filter. */
const withJob = (known: InfiniteData<JobPage>, changed: Pick<Job, 'id'> & Partial<Job>) => ({
  ...known,
  pages: known.pages.map((page) => ({
    ...page,
    jobs: page.jobs.map((row) => (row.id === changed.id ? { ...row, ...changed } : row)),
  })),
})

const NO_IDS: ReadonlySet<string> = new Set()

/**
 * Scrape jobs, newest first. The event stream keeps the rows current. New jobs do not move them: they are counted, and shown on request,
 * so that a row stays under the pointer.
 */
export const JobsPage = () => {
  const params = useAddressParams()
  const filter = useMemo(() => readFilter(params), [params])
  const sourceField = useAddressField('source')
  const [isOrdering, setOrdering] = useState(false)
  const [order, setOrder] = useState<PlacedOrder | null>(null)
  const { canEnqueue } = useViewer()
  const names = useSourceNames()
  const queries = useQueryClient()
  const queryKey = ['jobs', filter]
  const jobs = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      listJobs(queryOf(filter), { limit: PAGE, ...(pageParam === null ? {} : { after: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // It would move rows.
    refetchOnWindowFocus: false,
  })
  const rows = jobs.data?.pages.flatMap((page) => page.jobs) ?? []
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
    queries.setQueryData<typeof jobs.data>(queryKey, (known) => known && withJob(known, changed))
    if (!fits(job, filter) || rows.some(({ id }) => id === job.id)) return
    if (rows.length === 0) return showNewSoon()
    // Ids grow with time. Jobs that are older than the last row belong to a later page.
    if (rows.length < PAGE || job.id > (rows.at(-1)?.id ?? '')) setNewIds((ids) => new Set(ids).add(job.id))
  })
  const act = useMutation({
    mutationFn: ({ id, action }: { id: string; action: 'cancel' | 'retry' }): Promise<Job> =>
      action === 'cancel' ? cancelJob(id) : retryJob(id),
    onSuccess: (job, { action }) => {
      // Whoever retries a job wants to see the new one. Otherwise rows stay where they are.
      if (action === 'retry') return void showNew()
      queries.setQueryData<typeof jobs.data>(queryKey, (known) => known && withJob(known, job))
      void queries.invalidateQueries({ queryKey: ['jobs', 'totals'] })
    },
  })
  // They fit the former filter.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is what makes them old.
  useEffect(() => setNewIds(NO_IDS), [filter])
  return (
    <ConsolePage
      title="Jobs"
      lead="Queued, running and finished scrapes, newest first."
      actions={
        <>
          <span className={`live ${isLive ? 'on' : ''}`}>{isLive ? 'Live' : 'Not live: connecting'}</span>
          {canEnqueue && <Button onClick={() => setOrdering(true)}>Request scrapes</Button>}
        </>
      }
    >
      <JobTotals source={filter.source} />
      {order !== null && <OrderProgress order={order} onClose={() => setOrder(null)} />}
      {isOrdering && (
        <OrderDialog
          source={filter.source}
          onPlaced={(placed) => {
            setOrdering(false)
            setOrder(placed)
            changeAddress({ source: placed.source, status: null, parcel_id: null, failure_class: null })
          }}
          onClose={() => setOrdering(false)}
        />
      )}
      <div className="filters">
        <Select
          label="Status"
          value={filter.status}
          onChange={(status) => changeAddress({ status, failure_class: null })}
          options={[
            ['', 'All'],
            ['queued', 'Queued'],
            ['running', 'Running'],
            ['done', 'Done'],
            ['error', 'Error'],
          ]}
        />
        <Field label="Source">
          {(given) => (
            <>
              <input
                {...given}
                type="search"
                list="job-sources"
                placeholder="All sources"
                {...sourceField}
                onChange={({ target }) => changeAddress({ source: target.value, failure_class: null }, 'source')}
              />
              <datalist id="job-sources">
                {names.data?.map(([slug, name]) => (
                  <option key={slug} value={slug}>
                    {name}
                  </option>
                ))}
              </datalist>
            </>
          )}
        </Field>
        {filter.source !== '' && (
          <Select
            label="Failed because of"
            value={filter.failureClass}
            onChange={(failure_class) => changeAddress({ failure_class, status: null, parcel_id: null })}
            options={[['', 'Any reason'], ...FAILURE_CLASSES.map(({ name, title }) => [name, title] as const)]}
          />
        )}
        <SearchField label="Parcel id" placeholder="As the source writes it" name="parcel_id" />
      </div>
      {filter.source === '' && canEnqueue && (
        <p className="quiet small">
          Choose a source to cancel its open jobs, or to retry those that failed for a reason.
        </p>
      )}
      {filter.source !== '' && (
        <BulkActions key={filter.source} source={filter.source} failureClass={filter.failureClass} />
      )}
      <Trouble error={act.error} />
      <Loaded query={jobs} what="the jobs">
        {() => (
          <>
            <div className="new-rows" role="status">
              {newIds.size > 0 && <Button onClick={showNew}>{`Show ${countNoun(newIds.size, 'new job')}`}</Button>}
            </div>
            <DataTable
              label="Scrape jobs"
              rows={rows}
              keyOf={({ id }) => id}
              toneOf={({ status }) => (status === 'error' ? 'bad' : null)}
              empty="No jobs match this filter."
              columns={[
                {
                  name: 'Parcel',
                  isHead: true,
                  cell: (job) => (
                    <>
                      <Link href={parcelPath(job)}>{job.source_parcel_id}</Link>
                      <span className="cell-note">{job.source}</span>
                    </>
                  ),
                },
                { name: 'Status', cell: ({ status }) => <Badge tone={JOB_TONES[status]}>{status}</Badge> },
                { name: 'Vendor', cell: ({ vendor }) => vendor },
                { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
                { name: 'Took', isNumber: true, cell: ({ duration_ms }) => formatDuration(duration_ms) },
                { name: 'Requested', cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  name: 'What happened',
                  cell: ({ error_message }) =>
                    error_message === null ? '' : <span className="cell-message">{error_message}</span>,
                },
                {
                  name: 'Actions',
                  cell: ({ id, status, source_parcel_id }) => (
                    <span className="row nowrap">
                      <Link
                        className="button small"
                        href={`/app/console/jobs/${id}`}
                        aria-label={`Details of the job for ${source_parcel_id}`}
                      >
                        Details
                      </Link>
                      {status === 'queued' || status === 'running' ? (
                        <Button
                          className="small"
                          aria-label={`Cancel the job for ${source_parcel_id}`}
                          isBusy={act.isPending && act.variables.id === id}
                          onClick={() => act.mutate({ id, action: 'cancel' })}
                        >
                          Cancel
                        </Button>
                      ) : status === 'error' ? (
                        <Button
                          className="small"
                          aria-label={`Retry the job for ${source_parcel_id}`}
                          isBusy={act.isPending && act.variables.id === id}
                          onClick={() => act.mutate({ id, action: 'retry' })}
                        >
                          Retry
                        </Button>
                      ) : null}
                    </span>
                  ),
                },
              ]}
            />
            <OlderRows count={rows.length} list={jobs} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  )
}
