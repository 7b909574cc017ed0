import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { countNoun } from '../../../../../../core/text/count-noun'
import { changeAddress, useAddressParams } from '../../../address'
import { useViewer } from '../../../session/viewer'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { OlderRows } from '../../../ui/table/older-rows'
import { ConsolePage } from '../console-page'
import { BulkActions } from './bulk-actions'
import { cancelJob, type Job, retryJob } from './job-api'
import { JobTotals } from './job-totals'
import { readFilter } from './jobs-filter'
import { JobsFilters } from './jobs-filters'
import { type JobAction, JobsTable } from './jobs-table'
import { OrderDialog, type PlacedOrder } from './order-dialog'
import { OrderProgress } from './order-progress'
import { useLiveJobs } from './use-live-jobs'

/** Scrape jobs, newest first. */
export const JobsPage = () => {
  const params = useAddressParams()
  const filter = useMemo(() => readFilter(params), [params])
  const [isOrdering, setOrdering] = useState(false)
  const [order, setOrder] = useState<PlacedOrder | null>(null)
  const { canEnqueue } = useViewer()
  const queries = useQueryClient()
  const { jobs, rows, newCount, showNew, isLive, replace } = useLiveJobs(filter)
  const act = useMutation({
    mutationFn: ({ id, action }: JobAction): Promise<Job> => (action === 'cancel' ? cancelJob(id) : retryJob(id)),
    onSuccess: (job, { action }) => {
      // Whoever retries a job wants to see the new one. Otherwise rows stay where they are.
      if (action === 'retry') return void showNew()
      replace(job)
      void queries.invalidateQueries({ queryKey: ['jobs', 'totals'] })
    },
  })
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
      <JobsFilters filter={filter} />
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
              {newCount > 0 && <Button onClick={showNew}>{`Show ${countNoun(newCount, 'new job')}`}</Button>}
            </div>
            <JobsTable rows={rows} busyId={act.isPending ? act.variables.id : null} onAct={act.mutate} />
            <OlderRows count={rows.length} list={jobs} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  )
}
