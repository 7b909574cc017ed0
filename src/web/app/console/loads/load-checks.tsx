import { Link } from 'wouter'
import { formatCount, formatFieldName, formatPercent } from '../../format'
import { FieldChange } from '../../parcel/field-change'
import { parcelPath } from '../../search/entries'
import { DataTable } from '../../ui/data-table'
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
        <DataTable
          label={`Examples: ${describeCheck(check)}`}
          rows={check.examples}
          keyOf={({ source_parcel_id }) => source_parcel_id}
          empty="There are no examples."
          columns={[
            {
              name: 'Parcel',
              isHead: true,
              cell: ({ source_parcel_id }) => (
                <Link href={parcelPath({ source: load.source, source_parcel_id })}>{source_parcel_id}</Link>
              ),
            },
            {
              name: 'Former → new',
              cell: ({ former, new: next }) => (
                <span className="cell-message wide">
                  <FieldChange field={check.field ?? ''} former={former} next={next} />
                </span>
              ),
            },
          ]}
        />
      </div>
    ))

const describeCheck = ({ check, field, count, share, limit }: Check): string => {
  const parcels = `${formatCount(count)} ${count === 1 ? 'parcel' : 'parcels'}`
  const what = {
    retired: `It would retire ${parcels}`,
    emptied: `It would empty “${formatFieldName(field ?? '')}” of ${parcels}`,
    owner: `It would change the owner of ${parcels}`,
  }[check]
  return `${what}: ${formatPercent(share)} of the source. The limit is ${formatPercent(limit)}.`
}

export const describeCounts = ({
  inserted,
  updated,
  unchanged,
  retired,
  rejected,
}: NonNullable<Load['counts']>): string =>
  `${formatCount(inserted)} new, ${formatCount(updated)} changed, ${formatCount(unchanged)} unchanged, ${formatCount(retired)} retired, ${formatCount(rejected)} rejected.`
