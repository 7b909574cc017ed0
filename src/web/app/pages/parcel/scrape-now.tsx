import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Refusal } from '../../api/api'
import { type JobEvent, useEvents } from '../../api/events'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import type { ParcelName } from '../map/map-parcel'
import { scrapeNow, useForgetParcel } from './parcel-api'

const SAID: Record<JobEvent['status'], string> = {
  queued: 'Waiting for its turn…',
  running: 'Reading the county’s portal…',
  done: 'Scraped just now.',
  error: 'The scrape failed.',
}

/** Requests a scrape and shows its progress. If the portal needs a browser, a worker scrapes it, and the event stream reports on its job. */
export const ScrapeNow = ({ name }: { name: ParcelName }) => {
  const { canEnqueue } = useViewer()
  const forget = useForgetParcel()
  const [job, setJob] = useState<Pick<JobEvent, 'status' | 'error_message'> | null>(null)
  const scrape = useMutation({
    mutationFn: () => scrapeNow(name),
    onMutate: () => setJob(null),
    onSuccess: () => {
      setJob({ status: 'done', error_message: null })
      void forget(name)
    },
    onError: (error) => {
      if (isEnqueued(error)) setJob({ status: 'queued', error_message: null })
    },
  })
  const isEnding = job?.status === 'done' || job?.status === 'error'
  const isWaiting = scrape.isPending || (job !== null && !isEnding)
  useEvents(
    ['job'],
    ({ event, data }) => {
      // The event of the job's end was missed, but the parcel's row shows the result.
      if (event === 'reset') {
        setJob(null)
        void forget(name)
      }
      const changed = data as JobEvent
      if (event !== 'job' || changed.source !== name.source || changed.source_parcel_id !== name.source_parcel_id)
        return
      setJob(changed)
      if (changed.status === 'done') void forget(name)
    },
    isWaiting,
  )
  if (!canEnqueue) return null
  const error = scrape.error !== null && !isEnqueued(scrape.error) ? scrape.error : null
  return (
    <div className="scrape-now">
      <Button kind="primary" isBusy={isWaiting} onClick={() => scrape.mutate()}>
        <Icon name="refresh" />
        {isWaiting ? 'Scraping' : 'Scrape now'}
      </Button>
      {isWaiting && <Notice>{SAID[job?.status ?? 'running']}</Notice>}
      <Trouble error={error} />
      {!isWaiting && job?.error_message != null && <Notice tone="bad">{job.error_message}</Notice>}
      {!isWaiting && job?.status === 'done' && <Notice tone="good">{SAID.done}</Notice>}
    </div>
  )
}

const isEnqueued = (error: Error): boolean =>
  error instanceof Refusal &&
  error.status === 503 &&
  typeof error.body === 'object' &&
  error.body !== null &&
  'enqueued' in error.body
