import { Link } from 'wouter'
import { countNoun } from '../../../../../../core/text/count-noun'
import { at } from '../../../api/api'
import { formatCount, formatDate } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Fact } from '../../../ui/fact'
import { Loaded } from '../../../ui/loaded'
import { ExactTime } from '../../../ui/time'
import { formatRecordField } from '../../parcel/format-value'
import { parcelPath } from '../../search/entries'
import { isOver, LOAD_TONES, type Load, nameOfLoad, useLoad } from './load-api'
import { describeCounts, LoadChecks } from './load-checks'
import { LoadOrders } from './load-orders'

/** All about one load of a source. */
export const LoadDetails = ({ source, id }: { source: string; id: string }) => {
  const { loads, refresh } = useLoad(id)
  return (
    <section className="card" aria-label="One load">
      <div className="card-head">
        <h2>One load</h2>
        <Link href={`/app/console/sources/${at(source)}`}>Close</Link>
      </div>
      <Loaded query={loads} what="the load">
        {([followed]) =>
          followed && (
            <>
              <Facts load={followed.load} />
              {followed.load.status !== 'held' && isOver(followed.load.verdict) && (
                <p>It was held, because it would change too much:</p>
              )}
              <LoadChecks load={followed.load} />
              <Kept load={followed.load} />
              <LoadOrders {...followed} refresh={refresh} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const Facts = ({ load }: { load: Load }) => (
  <dl className="facts">
    <Fact label="Load">
      {nameOfLoad(load)}
      {load.is_complete && <span className="quiet"> (lists all parcels)</span>}
    </Fact>
    <Fact label="Status">
      <Badge tone={LOAD_TONES[load.status]}>{load.status}</Badge> {describeEnd(load)}
    </Fact>
    <Fact label="Parcels">{load.counts && describeCounts(load.counts)}</Fact>
    {load.as_of !== null && <Fact label="Data as of">{formatDate(load.as_of)}</Fact>}
    <Fact label="Started">
      <ExactTime at={load.created_at} />
      {load.created_by !== null && ` by ${load.created_by}`}
    </Fact>
    {load.applied_at !== null && (
      <Fact label="Applied">
        <ExactTime at={load.applied_at} />
      </Fact>
    )}
    {load.ended_at !== null && (
      <Fact label="Ended">
        <ExactTime at={load.ended_at} />
      </Fact>
    )}
  </dl>
)

/** Who applied or discarded it, why it failed, or what its undo did. */
export const describeEnd = ({ status, undo, note, judged_at }: Load): string => {
  if (undo !== null) {
    const { restored, retired, kept } = undo
    return `${countNoun(restored, 'parcel')} restored, ${formatCount(retired)} retired, ${formatCount(kept)} with newer changes kept`
  }
  if (status !== 'failed') return note ?? ''
  return `Only a part of it is stored. ${judged_at === null ? 'It was not read to the end' : 'It stopped while it was applied'}: ${note ?? ''}`
}

/** Parcels that the undo left as they are. */
const Kept = ({ load: { source, undo } }: { load: Load }) => {
  if (undo === null || undo.kept === 0) return null
  return (
    <div className="stack">
      <p>
        <strong>The undo left these fields, because they were changed again later:</strong>
      </p>
      <ul className="plain-list">
        {undo.kept_first.map(({ source_parcel_id, fields }) => (
          <li key={source_parcel_id}>
            <Link href={parcelPath({ source, source_parcel_id })}>{source_parcel_id}</Link>{' '}
            <span className="quiet">{fields.map(formatRecordField).join(', ')}</span>
          </li>
        ))}
      </ul>
      {undo.kept > undo.kept_first.length && (
        <p className="quiet small">
          The first {formatCount(undo.kept_first.length)} of {formatCount(undo.kept)}.
        </p>
      )}
    </div>
  )
}
