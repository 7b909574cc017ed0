import { Link } from 'wouter'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import type { Vendor } from './concurrency-api'

interface Actions {
  /** The vendor that is being frozen or unfrozen. */
  freezing: string | null
  /** Freezes the vendor's target, or unfreezes it. */
  onFreeze: (vendor: Vendor) => void
  onPause: (vendor: string) => void
}

/** The target of each vendor, the tuner's last change, and what an operator can do. */
export const VendorTable = ({ vendors, ...actions }: Actions & { vendors: Vendor[] }) => (
  <DataTable
    label="Concurrency of vendors"
    rows={vendors}
    keyOf={({ vendor }) => vendor}
    empty="There are no vendors."
    columns={[
      {
        name: 'Vendor',
        isHead: true,
        sortBy: ({ vendor }) => vendor,
        cell: ({ vendor }) => <Link href={`/app/console/concurrency/${vendor}`}>{vendor}</Link>,
      },
      {
        name: 'Target',
        isNumber: true,
        sortBy: ({ target_concurrency }) => target_concurrency,
        cell: ({ target_concurrency }) => <strong>{target_concurrency}</strong>,
      },
      {
        name: 'Range',
        isNumber: true,
        cell: ({ min_concurrency, max_concurrency }) => `${min_concurrency} to ${max_concurrency}`,
      },
      {
        name: 'Mode',
        sortBy: ({ mode }) => mode,
        cell: ({ mode, pause }) => (
          <span className="row nowrap">
            {mode === 'auto' ? <Badge tone="good">auto</Badge> : <Badge tone="warn">frozen</Badge>}
            {pause !== null && <Badge tone="bad">paused</Badge>}
          </span>
        ),
      },
      {
        name: 'Last signal',
        cell: ({ last_signal }) => <span className="cell-message">{last_signal ?? ''}</span>,
      },
      {
        name: 'Changed',
        sortBy: ({ updated_at }) => updated_at,
        cell: ({ updated_at, updated_by }) =>
          updated_by === null ? (
            <span className="quiet">never</span>
          ) : (
            <>
              <Time at={updated_at} />{' '}
              <span className="cell-note">by {updated_by === 'auto' ? 'the tuner' : updated_by}</span>
            </>
          ),
      },
      {
        name: 'Actions',
        cell: (vendor) => <VendorActions vendor={vendor} {...actions} />,
      },
    ]}
  />
)

const VendorActions = ({ vendor: row, freezing, onFreeze, onPause }: Actions & { vendor: Vendor }) => {
  const { vendor, mode, pause } = row
  const freeze = mode === 'auto' ? 'Freeze' : 'Unfreeze'
  return (
    <span className="row nowrap">
      <Link className="button small" href={`/app/console/concurrency/${vendor}`} aria-label={`Edit ${vendor}`}>
        Edit
      </Link>
      <Button
        className="small"
        aria-label={`${freeze} ${vendor}`}
        isBusy={freezing === vendor}
        onClick={() => onFreeze(row)}
      >
        {freeze}
      </Button>
      {pause === null && (
        <Button className="small" aria-label={`Pause ${vendor}`} onClick={() => onPause(vendor)}>
          Pause
        </Button>
      )}
    </span>
  )
}
