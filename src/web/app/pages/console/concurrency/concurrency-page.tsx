import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { ConsolePage } from '../console-page'
import { changeVendor, runTuner, useVendors, type Vendor } from './concurrency-api'
import { PauseDialog, PauseNotice } from './pause-dialog'
import { VendorTable } from './vendor-table'

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
            <VendorTable
              vendors={vendors}
              freezing={freeze.isPending ? freeze.variables.vendor : null}
              onFreeze={(vendor) => freeze.mutate(vendor)}
              onPause={setPausing}
            />
          </>
        )}
      </Loaded>
      {pausing !== null && <PauseDialog vendor={pausing} onClose={() => setPausing(null)} />}
    </ConsolePage>
  )
}
