import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button'
import { Icon } from './icon'

interface Props {
  title: string
  onClose: () => void
  /** What closing would lose, as a sentence. The dialog asks before it closes, as it does when something was typed. */
  loses?: string
  /** The input is stored, so closing loses nothing. */
  isSaved?: boolean
  children: ReactNode
}

/** Text fields. A lost choice takes only one key to repeat, so it does not count. */
const TYPED = 'textarea, input:not([type=checkbox], [type=radio])'

/**
 * The browser's own modal dialog: it traps the focus and returns it. The focus starts in the first field, even if that is loaded later, or on the
 * first of the buttons at its end if it has no field. Escape and the close button ask first if something would be lost.
 */
export const Dialog = ({ title, onClose, loses, isSaved = false, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const stay = useRef<HTMLButtonElement>(null)
  const [isEdited, setEdited] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const id = useId()
  // Before the dialog is removed: after that, the browser does not return the focus.
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    const focused = document.activeElement
    const begin = (): void => {
      const fields = 'input:not(:disabled), select:not(:disabled), textarea:not(:disabled)'
      const start =
        current?.querySelector<HTMLElement>(fields) ?? current?.querySelector<HTMLElement>('.dialog-foot button')
      start?.focus()
      if (start != null) observer.disconnect()
    }
    // What is loaded first has its fields later.
    const observer = new MutationObserver(() => {
      if (document.activeElement === focused) begin()
      else observer.disconnect()
    })
    if (current !== null) observer.observe(current, { childList: true, subtree: true })
    begin()
    return () => {
      observer.disconnect()
      current?.close()
    }
  }, [])
  useEffect(() => {
    if (isAsking) stay.current?.focus()
  }, [isAsking])
  const lost = loses ?? (isEdited && !isSaved ? 'What you typed is not saved.' : null)
  const close = () => (lost === null ? onClose() : setAsking(true))
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onInput={({ target }) => {
        if ((target as HTMLElement).matches(TYPED)) setEdited(true)
      }}
      onClose={onClose}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onKeyDown={(event) => {
        // Browsers close a dialog at a second Escape, whatever `cancel` says.
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.preventDefault()
        close()
      }}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {isAsking && (
        <div className="notice warn dialog-ask" role="alert">
          <span>{lost}</span>
          <span className="row nowrap">
            <Button ref={stay} className="small" onClick={() => setAsking(false)}>
              Stay
            </Button>
            <Button className="small" kind="danger" onClick={onClose}>
              Close anyway
            </Button>
          </span>
        </div>
      )}
      {children}
    </dialog>
  )
}
