import { Command } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useViewer } from '../session/viewer'
import { Icon } from '../ui/icon'
import { useTargets } from './find-targets'

/** A page of the service that is not a page of the app. */
const REFERENCE = '/docs/reference'

/** A field that leads to every page and record. The browser's dialog holds the focus, and gives it back when it closes. */
export const Palette = ({ onClose }: { onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const [, go] = useLocation()
  const { canRead } = useViewer()
  const { groups, isSearching, isWaiting, error } = useTargets(query)
  /** Enter was pressed before the targets of what is typed had arrived. */
  const [isEntered, setEntered] = useState(false)
  const [chosen, setChosen] = useState('')
  const best = groups[0]?.targets[0]?.href ?? ''
  // Otherwise the best target of the first letters would stay chosen as long as it is in the list.
  useEffect(() => setChosen(best), [best])
  useEffect(() => {
    dialog.current?.showModal()
    // The dialog focuses the list, which comes first.
    input.current?.focus()
  }, [])

  /** The dialog's own event comes later. Until then, Ctrl+K would have no effect. */
  const close = () => {
    dialog.current?.close()
    onClose()
  }
  const choose = (href: string) => {
    // First, so that the focus is back before the next page takes it.
    close()
    if (href === REFERENCE) location.assign(href)
    else go(href)
  }
  useEffect(() => {
    if (!isEntered || isWaiting) return
    setEntered(false)
    if (best !== '') choose(best)
  })

  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Go to"
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        // The backdrop.
        if (target === currentTarget) close()
      }}
      onKeyDown={({ key, nativeEvent }) => {
        if (key === 'Escape' && !nativeEvent.isComposing) close()
      }}
    >
      <Command
        label="Go to"
        shouldFilter={false}
        loop
        value={chosen}
        onValueChange={setChosen}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !isWaiting || event.nativeEvent.isComposing) return
          event.preventDefault()
          setEntered(true)
        }}
      >
        <div className="palette-field">
          <Icon name="search" />
          <Command.Input
            ref={input}
            value={query}
            enterKeyHint="go"
            onValueChange={(text) => {
              setEntered(false)
              setQuery(text)
            }}
            placeholder={canRead ? 'A page, owner, address, parcel, company or source' : 'A page'}
          />
        </div>
        <Command.List label="Results">
          {groups.map(({ heading, targets }) => (
            <Command.Group key={heading} heading={heading}>
              {targets.map(({ href, label, note }) => (
                <Command.Item key={href} value={href} onSelect={choose}>
                  <span>{label}</span>
                  {note !== '' && <span className="quiet small">{note}</span>}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
        {/* Not `Command.Empty`, which screen readers do not read by themselves. */}
        <p className="palette-none" role="status">
          {query.trim() !== '' &&
            groups.length === 0 &&
            (isSearching ? 'Searching …' : error !== null ? error.message : 'No matches.')}
        </p>
      </Command>
    </dialog>
  )
}
