import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAddressChoice, usePathParams } from '../../../address'
import { TuningChart } from '../../../charts/tuning-chart'
import { formatMoment } from '../../../format'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { Select } from '../../../ui/form/select'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { DataTable } from '../../../ui/table/data-table'
import { ConsolePage } from '../console-page'
import {
  changeVendor,
  useTuningLog,
  useVendorHistory,
  useVendors,
  type Vendor,
  type VendorChange,
} from './concurrency-api'
import { PauseDialog, PauseNotice } from './pause-dialog'

const SPANS = [
  ['1', 'Last hour'],
  ['6', 'Last 6 hours'],
  ['24', 'Last day'],
  ['168', 'Last week'],
] as const

/** One vendor's concurrency: its history, the reasons for changes, and its settings. */
export const VendorPage = () => {
  const { vendor } = usePathParams('/app/console/concurrency/:vendor')
  const [hours, setHours] = useAddressChoice('hours', ['24', ...SPANS.map(([value]) => value)])
  const [isPausing, setPausing] = useState(false)
  const vendors = useVendors()
  const log = useTuningLog(vendor)
  const history = useVendorHistory(vendor, Number(hours))
  const isUnknown = vendors.data?.vendors.every((row) => row.vendor !== vendor) === true
  return (
    <ConsolePage
      title={vendor}
      lead="How many scrapes run at the same time, how long they take, and why the target changed."
      actions={
        <Link className="button" href="/app/console/concurrency">
          All vendors
        </Link>
      }
    >
      {!isUnknown && (
        <section className="card">
          <div className="card-head">
            <h2>History</h2>
            <Select label="Span" value={hours} onChange={setHours} options={SPANS} />
          </div>
          <Loaded query={history} what="the history">
            {(data) => <TuningChart history={data} hours={Number(hours)} />}
          </Loaded>
        </section>
      )}
      <Loaded query={vendors} what="the vendor">
        {({ vendors }) => {
          const found = vendors.find((row) => row.vendor === vendor)
          return found === undefined ? (
            <Notice tone="warn">There is no vendor with this name.</Notice>
          ) : (
            <>
              {found.pause === null ? (
                <div className="row">
                  <Button onClick={() => setPausing(true)}>Pause {vendor}</Button>
                </div>
              ) : (
                <PauseNotice vendor={found} />
              )}
              <VendorForm key={vendor} vendor={found} />
            </>
          )
        }}
      </Loaded>
      {isPausing && <PauseDialog vendor={vendor} onClose={() => setPausing(false)} />}
      {!isUnknown && (
        <section className="card">
          <h2>Tuning log</h2>
          <Loaded query={log} what="the log">
            {({ entries }) => (
              <DataTable
                label="Tuning log"
                rows={entries}
                keyOf={({ id }) => id}
                empty="The target has never changed."
                columns={[
                  { name: 'When', isHead: true, cell: ({ created_at }) => formatMoment(created_at) },
                  {
                    name: 'Target',
                    isNumber: true,
                    cell: ({ previous_target, new_target }) =>
                      previous_target === new_target ? new_target : `${previous_target} → ${new_target}`,
                  },
                  { name: 'Why', cell: ({ reason }) => <span className="cell-message">{reason}</span> },
                  { name: 'Who', cell: ({ actor }) => (actor === 'auto' ? 'the tuner' : actor) },
                ]}
              />
            )}
          </Loaded>
        </section>
      )}
    </ConsolePage>
  )
}

const NUMBERS = [
  ['target_concurrency', 'Target', 'Scrapes at the same time'],
  ['min_concurrency', 'Lowest target', 'The tuner does not go below it'],
  ['max_concurrency', 'Highest target', 'The tuner does not go above it'],
  ['step_size', 'Step', 'The smallest change of the target'],
  ['slow_threshold_ms', 'Slow above, ms', 'If more than 5% of scrapes take longer than this (p95), the target falls'],
  ['fast_threshold_ms', 'Fast below, ms', 'If at least 95% of scrapes take less than this (p95), the target can rise'],
  ['signal_window_minutes', 'Window, minutes', 'How far back the tuner looks'],
] as const

const VendorForm = ({ vendor }: { vendor: Vendor }) => {
  const queries = useQueryClient()
  const [edited, setEdited] = useState<VendorChange>({})
  const save = useMutation({
    mutationFn: (change: VendorChange) => changeVendor(vendor.vendor, change),
    onSuccess: async (_, saved) => {
      await queries.invalidateQueries({ queryKey: ['concurrency'] })
      // Unsaved input stays when someone else changes the target.
      setEdited((typed) => Object.fromEntries(Object.entries(typed).filter(([name]) => !(name in saved))))
    },
  })
  const changed = Object.fromEntries(
    Object.entries(edited).filter(([name, value]) => value !== vendor[name as keyof VendorChange]),
  ) as VendorChange
  const isFrozen = vendor.mode === 'manual'
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(changed)
      }}
    >
      <div className="card-head">
        <h2>Settings</h2>
        <Button
          isBusy={save.isPending}
          onClick={() =>
            save.mutate(
              isFrozen
                ? { mode: 'auto' }
                : { mode: 'manual', target_concurrency: edited.target_concurrency ?? vendor.target_concurrency },
            )
          }
        >
          {isFrozen ? 'Unfreeze: let the tuner change it' : 'Freeze at this target'}
        </Button>
      </div>
      {isFrozen && <Notice tone="warn">Frozen at {vendor.target_concurrency}: the tuner does not change it.</Notice>}
      <div className="settings">
        {NUMBERS.map(([name, label, hint]) => (
          <Field key={name} label={label} hint={hint}>
            {(given) => (
              <input
                {...given}
                type="number"
                min={1}
                step={1}
                required
                value={edited[name] ?? vendor[name]}
                onChange={({ target }) => {
                  save.reset()
                  setEdited({ ...edited, [name]: target.valueAsNumber })
                }}
              />
            )}
          </Field>
        ))}
      </div>
      <Trouble error={save.error} />
      <div className="dialog-foot">
        <Button type="submit" kind="primary" isBusy={save.isPending} disabled={Object.keys(changed).length === 0}>
          Save
        </Button>
      </div>
    </form>
  )
}
