import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, at, dismissals } from '../../api/api'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/form/field'
import { Trouble } from '../../ui/loaded'
import { Time } from '../../ui/time'

interface DismissibleFinding {
  id: string
  dismissed?: { at: string; by: string; reason: string }
}

/** A button that dismisses a finding, or who dismissed it and a button that reopens it. Only admins get buttons. */
export const DismissFinding = ({ finding: { id, dismissed } }: { finding: DismissibleFinding }) => {
  const { canAdminister } = useViewer()
  const [isOpen, setOpen] = useState(false)
  const forgetFindings = useForgetFindings()
  const reopen = useMutation({
    mutationFn: () => ask(dismissals.findings({ id: at(id) }).dismiss.delete()),
    onSuccess: forgetFindings,
  })
  if (dismissed !== undefined) {
    return (
      <div className="dismissed">
        <p className="quiet small">
          Dismissed <Time at={dismissed.at} /> by {dismissed.by}: {dismissed.reason}
        </p>
        {canAdminister && (
          <Button className="small" isBusy={reopen.isPending} onClick={() => reopen.mutate()}>
            Reopen
          </Button>
        )}
        <Trouble error={reopen.error} />
      </div>
    )
  }
  if (!canAdminister) return null
  return (
    <>
      <Button className="small" onClick={() => setOpen(true)}>
        Dismiss
      </Button>
      {isOpen && <DismissDialog id={id} onClose={() => setOpen(false)} />}
    </>
  )
}

const useForgetFindings = () => {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['findings'] }),
      queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === 'parcel' && queryKey[3] === 'findings',
      }),
    ])
}

const DismissDialog = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const [reason, setReason] = useState('')
  const forgetFindings = useForgetFindings()
  const dismiss = useMutation({
    mutationFn: () => ask(dismissals.findings({ id: at(id) }).dismiss.post({ reason: reason.trim() })),
    onSuccess: async () => {
      onClose()
      await forgetFindings()
    },
  })
  return (
    <Dialog title="Dismiss the finding" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          dismiss.mutate()
        }}
      >
        <Field label="Reason" hint="The finding is hidden until its evidence changes.">
          {(given) => (
            <textarea
              {...given}
              required
              maxLength={2_000}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        <Trouble error={dismiss.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={dismiss.isPending} disabled={reason.trim() === ''}>
            Dismiss
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
