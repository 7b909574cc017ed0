import { Link } from 'wouter'
import { countNoun } from '../../../../../../core/text/count-noun'
import { formatCount, formatPercent } from '../../../format'
import { Fact } from '../../../ui/fact'
import { formatRecordField } from '../../parcel/format-value'
import { FieldChange } from '../../parcel/history/field-change'
import { parcelPath } from '../../search/entries'
import type { Load } from './load-api'

type Check = NonNullable<Load['verdict']>['checks'][number]

/** Why a load was held: each check that is over its limit, with examples. */
export const LoadChecks = ({ load }: { load: Load }) =>
  load.verdict?.checks
    .filter(({ is_over }) => is_over)
    .map((check) => (
      <div key={`${check.check} ${check.field}`} className="stack">
        <p>
          <strong>{describeCheck(check)}</strong>
        </p>
        <dl className="facts field-changes">
          {check.examples.map(({ source_parcel_id, former, new: next }) => (
            <Fact
              key={source_parcel_id}
              label={<Link href={parcelPath({ source: load.source, source_parcel_id })}>{source_parcel_id}</Link>}
            >
              <FieldChange field={check.field ?? ''} former={former} next={next} />
            </Fact>
          ))}
        </dl>
      </div>
    ))

const describeCheck = ({ check, field, count, share, limit }: Check): string => {
  const parcels = countNoun(count, 'parcel')
  const what = {
    retired: `It would retire ${parcels}`,
    emptied: `It would empty “${formatRecordField(field ?? '')}” of ${parcels}`,
    owner: `It would change the owner of ${parcels}`,
  }[check]
  return `${what}: ${formatPercent(share)} of the source. The limit is ${formatPercent(limit)}.`
}

/** The counts above 0. */
export const describeCounts = (counts: NonNullable<Load['counts']>): string => {
  const said = [
    [counts.inserted, 'new'],
    [counts.updated, 'changed'],
    [counts.retired, 'retired'],
    [counts.unchanged, 'unchanged'],
    [counts.rejected, 'rejected'],
  ] as const
  const known = said.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`)
  return known.length === 0 ? 'none' : known.join(', ')
}
