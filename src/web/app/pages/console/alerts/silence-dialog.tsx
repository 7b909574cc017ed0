import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { serverNow } from '../../../api/server-clock'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/form/field'
import { Select } from '../../../ui/form/select'
import { Trouble } from '../../../ui/loaded'
import { type Alert, silenceAlert } from './alert-api'

const SPANS = [
  ['1', 'For 1 hour'],
  ['8', 'For 8 hours'],
  ['24', 'For 1 day'],
  ['168', 'For 1 week'],
  ['720', 'For 30 days'],
] as const

/** Asks for how long an alert is silenced, and why. */
export const SilenceDialog = ({ alert, onClose }: { alert: Alert; onClose: () => void }) => {
  const queries = useQueryClient()
  const [hours, setHours] = useState<(typeof SPANS)[number][0]>('8')
  const [reason, setReason] = useState('')
  const silence = useMutation({
    mutationFn: () =>
      silenceAlert(alert.id, {
        until: new Date(serverNow() + Number(hours) * 3_600_000).toISOString(),
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['alerts'] })
      onClose()
    },
  })
  return (
    <Dialog title="Silence this alert" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          silence.mutate()
        }}
      >
        <p>{alert.text}</p>
        <p className="quiet">
          Webhooks get no message about it until the silence ends. If the alert is still raised then, they get one.
        </p>
        <Select label="How long" value={hours} options={SPANS} onChange={setHours} />
        <Field label="Reason" hint="Other admins see it. You can leave it empty.">
          {(given) => (
            <input
              {...given}
              maxLength={500}
              autoComplete="off"
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        <Trouble error={silence.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={silence.isPending}>
            Silence
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
