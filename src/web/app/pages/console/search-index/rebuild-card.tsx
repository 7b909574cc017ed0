import { countNoun } from '../../../../../../core/text/count-noun'
import { formatCount } from '../../../format'
import { Notice } from '../../../ui/notice'
import { Progress } from '../../../ui/progress'
import { Time } from '../../../ui/time'
import type { Rebuild } from './search-index-api'
import { isRunning } from './search-instances'

/** The progress of a running rebuild, or the result of the last one. */
export const RebuildCard = ({ rebuild }: { rebuild: Rebuild }) => (
  <section className="card" aria-live="polite">
    {isRunning(rebuild) ? (
      <Progress
        label={
          rebuild.state === 'requested'
            ? 'Waiting for the sync role'
            : `Rebuilding the index: ${formatCount(rebuild.done)} of ${countNoun(rebuild.total, 'document')}`
        }
        share={rebuild.total === 0 ? null : rebuild.done / rebuild.total}
      />
    ) : (
      <LastRebuild rebuild={rebuild} />
    )}
  </section>
)

const LastRebuild = ({ rebuild }: { rebuild: Rebuild }) =>
  rebuild.state === 'failed' ? (
    <Notice tone="bad">The last rebuild failed: {rebuild.error}</Notice>
  ) : (
    <p>
      Last rebuilt <Time at={rebuild.finished_at} />
      {rebuild.requested_by && ` for ${rebuild.requested_by}`}: {countNoun(rebuild.done, 'document')}.
    </p>
  )
