import { formatCount } from '../../../format'
import { Figure } from '../../../ui/figure'
import { Notice } from '../../../ui/notice'
import { Time } from '../../../ui/time'
import type { SearchIndex } from './search-index-api'

/** Whether the index and the database agreed at the last check. `isSilent`: an instance does not respond, so that was before. */
export const Drift = ({ drift, isSilent }: { drift: SearchIndex['drift']; isSilent: boolean }) => {
  const wrong = drift === null ? 0 : drift.missing + drift.extra + drift.different
  return (
    <section className="card">
      <div className="card-head">
        <h2>Drift</h2>
        {drift && (
          <span className="quiet small">
            checked <Time at={drift.checked_at} />
          </span>
        )}
      </div>
      {drift === null ? (
        <p className="empty">It has not been checked yet.</p>
      ) : (
        <>
          {isSilent ? (
            <Notice>
              The last check was <Time at={drift.checked_at} />:{' '}
              {wrong === 0 ? 'the index and the database agreed.' : 'they differed, and the differences were repaired.'}{' '}
              Whether they agree now is not known.
            </Notice>
          ) : (
            <Notice tone={wrong === 0 ? 'good' : 'bad'}>
              {wrong === 0 ? 'The index and the database agree.' : 'They differed. The differences were repaired.'}
            </Notice>
          )}
          <dl className="figures">
            <Figure label="Missing" tone={drift.missing > 0 ? 'bad' : 'plain'}>
              {formatCount(drift.missing)}
            </Figure>
            <Figure label="Not in the database" tone={drift.extra > 0 ? 'bad' : 'plain'}>
              {formatCount(drift.extra)}
            </Figure>
            <Figure label="Different" tone={drift.different > 0 ? 'bad' : 'plain'}>
              {formatCount(drift.different)}
            </Figure>
          </dl>
        </>
      )}
    </section>
  )
}
