import { formatAbout, formatCount } from '../../../format'
import { Figure } from '../../../ui/figure'
import { useJobTotals } from './job-api'

/** How many jobs of a source, or of all, are open and ended within the hour. */
export const JobTotals = ({ source }: { source: string }) => {
  const { data } = useJobTotals(source === '' ? {} : { source })
  if (data === undefined) return null
  const { queued, running, done, failed, seconds_left } = data
  const isOpen = queued + running > 0
  return (
    <dl className="figures">
      <Figure label="Queued">{formatCount(queued)}</Figure>
      <Figure label="Running">{formatCount(running)}</Figure>
      <Figure label="Done, last hour">{formatCount(done)}</Figure>
      <Figure label="Failed, last hour" tone={failed > 0 ? 'bad' : 'plain'}>
        {formatCount(failed)}
      </Figure>
      <Figure label="Time left">
        {!isOpen ? 'none' : seconds_left === null ? 'unknown' : formatAbout(seconds_left)}
      </Figure>
    </dl>
  )
}
