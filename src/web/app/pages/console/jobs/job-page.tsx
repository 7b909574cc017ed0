import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { usePathParams } from '../../../address'
import { type JobEvent, useEvents } from '../../../api/events'
import { DASH, formatDuration, formatMoment, formatWords } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { KeptPages } from '../../parcel/evidence/kept-pages'
import { parcelPath } from '../../search/entries'
import { ConsolePage } from '../console-page'
import { cancelJob, getJob, listAttempts, retryJob } from './job-api'
import { JOB_TONES } from './job-tones'

/** One job: when it was queued, each attempt, and how it ended. */
export const JobPage = () => {
  const { id } = usePathParams('/app/console/jobs/:id')
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const job = useQuery({ queryKey: ['job', id], queryFn: ({ signal }) => getJob(id, signal) })
  const attempts = useQuery({ queryKey: ['job', id, 'attempts'], queryFn: ({ signal }) => listAttempts(id, signal) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['job', id] })
  useEvents(['job'], ({ event, data }) => {
    if (event === 'reset' || (data as JobEvent).id === id) void refresh()
  })
  const act = useMutation({
    mutationFn: (action: 'cancel' | 'retry') => (action === 'cancel' ? cancelJob(id) : retryJob(id)),
    onSuccess: (job) => (job.id === id ? refresh() : navigate(`/app/console/jobs/${job.id}`)),
  })
  const status = job.data?.status
  const isOpen = status === 'queued' || status === 'running'
  return (
    <ConsolePage
      title={job.data ? `Job for ${job.data.source_parcel_id}` : 'Job'}
      lead={<span className="code">{id}</span>}
      actions={
        <>
          <Link className="button" href="/app/console/jobs">
            All jobs
          </Link>
          {job.data && <KeptPages name={job.data} />}
          {isOpen && (
            <Button kind="danger" isBusy={act.isPending} onClick={() => act.mutate('cancel')}>
              Cancel
            </Button>
          )}
          {status === 'error' && (
            <Button kind="primary" isBusy={act.isPending} onClick={() => act.mutate('retry')}>
              Retry
            </Button>
          )}
        </>
      }
    >
      <Trouble error={act.error} />
      <Loaded query={job} what="the job">
        {(data) => (
          <section className="card">
            <dl className="facts">
              <dt>Status</dt>
              <dd>
                <Badge tone={JOB_TONES[data.status]}>{data.status}</Badge>
              </dd>
              <dt>Priority</dt>
              <dd>{data.priority}</dd>
              <dt>Parcel</dt>
              <dd>
                <Link href={parcelPath(data)}>{data.source_parcel_id}</Link> of {data.source}
              </dd>
              <dt>Vendor</dt>
              <dd>{data.vendor}</dd>
              <dt>Requested</dt>
              <dd>{formatMoment(data.created_at)}</dd>
              <dt>Started</dt>
              <dd>{data.started_at ? formatMoment(data.started_at) : 'not yet'}</dd>
              <dt>Ended</dt>
              <dd>{data.finished_at ? formatMoment(data.finished_at) : 'not yet'}</dd>
              <dt>Took</dt>
              <dd>{formatDuration(data.duration_ms)}</dd>
              <dt>Attempts</dt>
              <dd>{data.attempts}</dd>
              {data.error_message && (
                <>
                  <dt>What happened</dt>
                  <dd className="tone-bad">{data.error_message}</dd>
                </>
              )}
            </dl>
          </section>
        )}
      </Loaded>
      {job.data && (
        <section className="card">
          <h2>Attempts</h2>
          <Loaded query={attempts} what="the attempts">
            {({ attempts }) => (
              <DataTable
                label="Attempts"
                rows={attempts}
                keyOf={({ attempt }) => String(attempt)}
                toneOf={({ outcome }) => (outcome === 'done' || outcome === null ? null : 'bad')}
                empty="No worker has started it yet."
                columns={[
                  { name: 'Attempt', isHead: true, cell: ({ attempt }) => attempt },
                  {
                    name: 'Outcome',
                    cell: ({ outcome }) => (
                      <Badge tone={outcome === null ? 'warn' : outcome === 'done' ? 'good' : 'bad'}>
                        {outcome === null ? 'running' : formatWords(outcome)}
                      </Badge>
                    ),
                  },
                  {
                    name: 'Started',
                    cell: ({ started_at }) => (started_at === null ? DASH : formatMoment(started_at)),
                  },
                  { name: 'Ended', cell: ({ ended_at }) => (ended_at === null ? DASH : formatMoment(ended_at)) },
                  { name: 'Took', isNumber: true, cell: ({ duration_ms }) => formatDuration(duration_ms) },
                  {
                    name: 'What happened',
                    cell: ({ error_message }) => <span className="cell-message">{error_message ?? ''}</span>,
                  },
                ]}
              />
            )}
          </Loaded>
        </section>
      )}
    </ConsolePage>
  )
}
