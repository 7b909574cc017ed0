import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FailureClassName } from '../../../../../../core/sources/failure-classes'
import { countNoun } from '../../../../../../core/text/count-noun'
import { titleOfClass } from '../../../charts/run-strip'
import { formatCount } from '../../../format'
import { Button } from '../../../ui/button'
import { Confirm } from '../../../ui/confirm'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { cancelJobs, retryJobs, useJobTotals, useSourceName } from './job-api'

interface Props {
  source: string
  failureClass: FailureClassName | ''
}

/** Cancels all open jobs of a source, or retries its jobs that failed for one reason. */
export const BulkActions = ({ source, failureClass }: Props) => {
  const queries = useQueryClient()
  const totals = useJobTotals({ source })
  const county = useSourceName(source)
  const [isAsking, setAsking] = useState(false)
  const [left, setLeft] = useState<number | null>(null)
  const refresh = () => queries.invalidateQueries({ queryKey: ['jobs'] })
  const cancel = useMutation({
    mutationFn: () => cancelJobs(source, setLeft),
    onSuccess: () => setAsking(false),
    onSettled: refresh,
  })
  const retry = useMutation({
    mutationFn: (name: FailureClassName) => retryJobs(source, name),
    onSettled: refresh,
  })
  const open = (totals.data?.queued ?? 0) + (totals.data?.running ?? 0)
  return (
    <>
      <div className="row">
        {failureClass !== '' && (
          <Button isBusy={retry.isPending} onClick={() => retry.mutate(failureClass)}>
            Retry all of {county} that failed: {titleOfClass(failureClass)}
          </Button>
        )}
        {open > 0 && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Cancel {countNoun(open, 'open job')} of {county}
          </Button>
        )}
      </div>
      <Trouble error={retry.error} />
      {retry.data && (
        <Notice>
          {formatCount(retry.data.queued)} queued
          {retry.data.already_queued > 0 && `, ${formatCount(retry.data.already_queued)} already queued`}
          {retry.data.left > 0 && `, ${formatCount(retry.data.left)} left: retry again`}.
        </Notice>
      )}
      {cancel.data !== undefined && <Notice>{countNoun(cancel.data, 'job')} cancelled.</Notice>}
      {isAsking && (
        <Confirm
          title={`Cancel all open jobs of ${county}?`}
          action={`Cancel ${countNoun(open, 'job')}`}
          isBusy={cancel.isPending}
          error={cancel.error}
          onConfirm={() => cancel.mutate()}
          onClose={() => {
            cancel.reset()
            setAsking(false)
          }}
        >
          <p>Queued jobs are cancelled, and running ones stop. The stored data of the parcels stays.</p>
          {cancel.isPending && left !== null && <p role="status">{formatCount(left)} left</p>}
        </Confirm>
      )}
    </>
  )
}
