import { Link } from 'wouter'
import { formatDuration } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { parcelPath } from '../../search/entries'
import type { Job } from './job-api'
import { JOB_TONES } from './job-tones'

export interface JobAction {
  id: string
  action: 'cancel' | 'retry'
}

interface Props {
  rows: Job[]
  /** The job that is being cancelled or retried. */
  busyId: string | null
  onAct: (action: JobAction) => void
}

/** The jobs, each with what can be done with it. */
export const JobsTable = ({ rows, busyId, onAct }: Props) => (
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
                isBusy={busyId === id}
                onClick={() => onAct({ id, action: 'cancel' })}
              >
                Cancel
              </Button>
            ) : status === 'error' ? (
              <Button
                className="small"
                aria-label={`Retry the job for ${source_parcel_id}`}
                isBusy={busyId === id}
                onClick={() => onAct({ id, action: 'retry' })}
              >
                Retry
              </Button>
            ) : null}
          </span>
        ),
      },
    ]}
  />
)
