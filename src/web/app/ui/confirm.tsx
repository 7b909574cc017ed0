import type { ReactNode } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'
import { Trouble } from './loaded'

interface Props {
  title: string
  /** What the button does, as a verb. */
  action: string
  isBusy: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

/** Asks before something with consequences. The focus starts on the button that changes nothing. */
export const Confirm = ({ title, action, isBusy, error, onConfirm, onClose, children }: Props) => (
  <Dialog title={title} onClose={onClose}>
    <div>{children}</div>
    <Trouble error={error} />
    <div className="dialog-foot">
      <Button onClick={onClose}>Go back</Button>
      <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
        {action}
      </Button>
    </div>
  </Dialog>
)
