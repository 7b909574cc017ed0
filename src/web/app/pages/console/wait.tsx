import { Time } from '../../ui/time'

/** Queued work, as far as it says why it waits. */
export interface WaitingWork {
  waits_for: 'retry' | 'load' | 'pause' | 'breaker' | null
  waits_until: string | null
  error_message: string | null
}

/** Why queued work waits, and until when. Nothing for work that only waits for a worker. */
export const Wait = ({ work: { waits_for, waits_until, error_message } }: { work: WaitingWork }) => {
  const until = waits_until === null ? null : <Time at={waits_until} />
  switch (waits_for) {
    case null:
      return null
    case 'retry':
      return (
        <>
          It continues {until}
          {error_message === null ? '' : `: ${error_message}`}.
        </>
      )
    case 'load':
      return <>It starts when the load of its source has ended.</>
    case 'pause':
      return until === null ? <>Its vendor is paused.</> : <>Its vendor is paused. The pause ends {until}.</>
    case 'breaker':
      return (
        <>Most scrapes of its vendor fail, so one job or crawl a minute may start. The next one may start {until}.</>
      )
  }
}
