import { countNoun } from '../../../../../../core/text/count-noun'
import { formatAbout, formatCount } from '../../../format'
import { Button } from '../../../ui/button'
import { Notice } from '../../../ui/notice'
import { Progress } from '../../../ui/progress'
import { useJobTotals, useSourceName } from './job-api'
import type { PlacedOrder } from './order-dialog'

/** How far the county of an order is. Jobs that others ordered for it count too. */
export const OrderProgress = ({
  order: { source, jobs, at },
  onClose,
}: {
  order: PlacedOrder
  onClose: () => void
}) => {
  const { data } = useJobTotals({ source, since: at })
  const county = useSourceName(source)
  if (data === undefined) return null
  const open = data.queued + data.running
  const ended = data.done + data.failed
  const failed = data.failed > 0 ? `, ${formatCount(data.failed)} of them failed` : ''
  const left = data.seconds_left === null ? 'time left unknown' : `${formatAbout(data.seconds_left)} left`
  return (
    <section className="card stack">
      <div className="card-head">
        <h2>
          {countNoun(jobs, 'scrape')} of {county} requested
        </h2>
        <Button className="small" onClick={onClose}>
          Close
        </Button>
      </div>
      {open > 0 ? (
        <Progress
          label={`${formatCount(ended)} ended${failed}, ${formatCount(open)} to go, ${left}`}
          share={ended / (ended + open)}
        />
      ) : (
        <Notice tone={data.failed > 0 ? 'warn' : 'good'}>
          All jobs of {county} have ended: {formatCount(data.done)} done, {formatCount(data.failed)} failed.
        </Notice>
      )}
    </section>
  )
}
