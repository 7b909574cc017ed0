import { useEffect, useState } from 'react'
import { Icon } from '../ui/icon'
import { fetchLater, Part } from '../ui/page/part'

/** Fetched when it first opens. */
const Palette = fetchLater(async () => (await import('../palette/palette')).Palette)

/** Opens the command palette. Ctrl+K and Cmd+K do the same on every page. */
export const PaletteButton = () => {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      setOpen(true)
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [])
  return (
    <>
      <button
        type="button"
        className="palette-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" />
        <span className="palette-label">Go to</span>
        <kbd>Ctrl K</kbd>
      </button>
      {isOpen && (
        <Part>
          <Palette onClose={() => setOpen(false)} />
        </Part>
      )}
    </>
  )
}
