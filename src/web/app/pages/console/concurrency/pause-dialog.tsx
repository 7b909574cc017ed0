import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { serverNow } from '../../../api/server-clock'
import { formatMoment } from '../../../format'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/form/field'
import { Select } from '../../../ui/form/select'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { pauseVendor, resumeVendor, type Vendor } from './concurrency-api'

const ENDS = [
  ['', 'Until somebody resumes it'],
  ['1', 'For 1 hour'],
  ['4', 'For 4 hours'],
  ['24', 'For 1 day'],
  ['168', 'For 1 week'],
] as const

/** Asks why a vendor is paused, and for how long. */
export const PauseDialog = ({ vendor, onClose }: { vendor: string; onClose: () => void }) => {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [hours, setHours] = useState<(typeof ENDS)[number][0]>('')
  const pause = useMutation({
    mutationFn: () =>
      pauseVendor(vendor, {
        reason: reason.trim(),
        until: hours === '' ? null : new Date(serverNow() + Number(hours) * 3_600_000).toISOString(),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['concurrency'] })
      onClose()
    },
  })
  return (
    <Dialog title={`Pause ${vendor}`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          pause.mutate()
        }}
      >
        <p className="quiet">
          Its running scrapes stop now and are queued again. No scrape starts until the pause ends. To keep scraping at
          a fixed rate, freeze the vendor instead.
        </p>
        <Field label="Reason" hint="Everyone who views the vendor sees it.">
          {(given) => (
            <input
              {...given}
              required
              maxLength={500}
              autoComplete="off"
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        <Select label="How long" value={hours} options={ENDS} onChange={setHours} />
        <Trouble error={pause.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={pause.isPending} disabled={reason.trim() === ''}>
            Pause
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Since when, why and until when a vendor is paused. */
export const PauseNotice = ({ vendor: { vendor, pause } }: { vendor: Vendor }) => {
  const queries = useQueryClient()
  const resume = useMutation({
    mutationFn: () => resumeVendor(vendor),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['concurrency'] }),
  })
  if (pause === null) return null
  return (
    <Notice tone="warn">
      <span className="row">
        <span>
          Paused since {formatMoment(pause.since)} by {pause.by}
          {pause.until === null ? '' : `, until ${formatMoment(pause.until)}`}: {pause.reason}
        </span>
        <Button
          className="small"
          isBusy={resume.isPending}
          aria-label={`Resume ${vendor}`}
          onClick={() => resume.mutate()}
        >
          Resume
        </Button>
      </span>
      <Trouble error={resume.error} />
    </Notice>
  )
}
