import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DataTable } from '../../../ui/data-table'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Time } from '../../../ui/time'
import { ConsolePage } from '../console-page'
import { changeVendor, runTuner, useVendors, type Vendor } from './concurrency-api'
import { PauseDialog, PauseNotice } from './pause-dialog'

/** How many scrapes of each vendor run at the same time. */
export const ConcurrencyPage = () => {
  const vendors = useVendors()
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['concurrency'] })
  const freeze = useMutation({
    mutationFn: ({ vendor, mode, target_concurrency }: Vendor) =>
      changeVendor(vendor, mode === 'auto' ? { mode: 'manual', target_concurrency } : { mode: 'auto' }),
    onSuccess: refresh,
  })
  const tune = useMutation({ mutationFn: runTuner, onSuccess: refresh })
  const [pausing, setPausing] = useState<string | null>(null)
  const moved = tune.data?.decisions.filter(({ changed }) => changed).length ?? 0
  return (
    <ConsolePage
      title="Concurrency"
      lead="How many scrapes run at the same time, by vendor. The tuner raises and lowers the targets. Freeze: the target stays as it is, and scrapes go on. Pause: no scrape runs until you resume the vendor."
      actions={
        <Button isBusy={tune.isPending} onClick={() => tune.mutate()}>
          Run the tuner now
        </Button>
      }
    >
      <Trouble error={freeze.error ?? tune.error} />
      {tune.isSuccess && (
        <Notice tone="good">
          The tuner checked {tune.data.count} vendors and changed {moved === 0 ? 'none' : moved}.
        </Notice>
      )}
      <Loaded query={vendors} what="the vendors">
        {({ vendors }) => (
          <>
            {vendors.map((vendor) => vendor.pause !== null && <PauseNotice key={vendor.vendor} vendor={vendor} />)}
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
                  cell: (row) => (
                    <span className="row nowrap">
                      <Link
                        className="button small"
                        href={`/app/console/concurrency/${row.vendor}`}
                        aria-label={`Edit ${row.vendor}`}
                      >
                        Edit
                      </Link>
                      <Button
                        className="small"
                        aria-label={`${row.mode === 'auto' ? 'Freeze' : 'Unfreeze'} ${row.vendor}`}
                        isBusy={freeze.isPending && freeze.variables.vendor === row.vendor}
                        onClick={() => freeze.mutate(row)}
                      >
                        {row.mode === 'auto' ? 'Freeze' : 'Unfreeze'}
                      </Button>
                      {row.pause === null && (
                        <Button
                          className="small"
                          aria-label={`Pause ${row.vendor}`}
                          onClick={() => setPausing(row.vendor)}
                        >
                          Pause
                        </Button>
                      )}
                    </span>
                  ),
                },
              ]}
            />
          </>
        )}
      </Loaded>
      {pausing !== null && <PauseDialog vendor={pausing} onClose={() => setPausing(null)} />}
    </ConsolePage>
  )
}
