import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useViewer } from '../session/viewer'
import { Icon } from '../ui/icon'
import { Trouble } from '../ui/loaded'
import { type Entry, listEntries } from './entries'
import type { changeFilters, Filters } from './filters'
import { HitList } from './hit-list'
import type { EntityHit, ParcelHit, SearchState } from './search-api'

interface Props {
  filters: Filters
  onChange: typeof changeFilters
  search: SearchState
  /** The active hit, by id. */
  active: string | null
  onActive: (id: string | null) => void
  onPick: (hit: ParcelHit | EntityHit) => void
  /** What can be searched for. */
  label: string
  placeholder: string
  /** Whether the text field has the focus from the start. */
  takesFocus?: boolean
  /** Below the text field. */
  children?: ReactNode
  /** Shown instead of hits while the text field is empty. */
  help: ReactNode
}

/** A search: a combobox (ARIA 1.2) whose popup is a tree, because groups of one owner's parcels unfold. */
export const SearchPanel = ({
  filters,
  onChange,
  search,
  active,
  onActive,
  onPick,
  label,
  placeholder,
  takesFocus = false,
  children,
  help,
}: Props) => {
  const { canRead } = useViewer()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const { hits, data, error, isAsking, isPlaceholderData } = search
  const entries = useMemo(() => listEntries(hits, open), [hits, open])
  const activeIndex = entries.findIndex((entry) => entry.id === active)

  useEffect(() => {
    if (takesFocus) input.current?.focus({ preventScroll: true })
  }, [takesFocus])

  const toggle = (entryId: string, isOpen: boolean) => {
    const next = new Set(open)
    if (isOpen) next.add(entryId)
    else next.delete(entryId)
    setOpen(next)
  }
  const pick = (entry: Entry) => {
    if (entry.hit.kind === 'owner-group') toggle(entry.id, !open.has(entry.id))
    else onPick(entry.hit)
  }
  const move = (index: number) => {
    const entry = entries[(index + entries.length) % entries.length]
    if (entry) onActive(entry.id)
  }
  const press = (event: KeyboardEvent) => {
    const entry = entries[activeIndex]
    const handled = ((): boolean => {
      switch (event.key) {
        case 'ArrowDown':
          move(activeIndex + 1)
          return entries.length > 0
        case 'ArrowUp':
          move(activeIndex === -1 ? entries.length - 1 : activeIndex - 1)
          return entries.length > 0
        case 'ArrowRight':
        case 'ArrowLeft': {
          if (entry === undefined) return false
          if (entry.hit.kind !== 'owner-group') return false
          toggle(entry.id, event.key === 'ArrowRight')
          return true
        }
        case 'Escape':
          if (active !== null) onActive(null)
          else onChange({ q: '' })
          return true
        case 'Enter': {
          const picked = entry ?? entries[0]
          if (picked && !isPlaceholderData) pick(picked)
          return true
        }
        default:
          return false
      }
    })()
    if (handled) event.preventDefault()
  }

  return (
    <>
      <search>
        <div className="search-box">
          <Icon name="search" />
          <label htmlFor={id} className="unseen">
            {label}
          </label>
          <input
            ref={input}
            id={id}
            type="search"
            role="combobox"
            aria-expanded={entries.length > 0}
            aria-controls={`${id}-hits`}
            aria-haspopup="tree"
            aria-autocomplete="list"
            aria-activedescendant={activeIndex === -1 ? undefined : `${id}-${activeIndex}`}
            placeholder={placeholder}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={200}
            value={filters.q}
            onChange={({ target }) => {
              onActive(null)
              onChange({ q: target.value })
            }}
            onKeyDown={press}
          />
        </div>
        {children}
      </search>
      <p className="search-status quiet small" role="status">
        {isAsking && canRead && error === null && data && describeHits(data, filters.q)}
      </p>
      {canRead ? <Trouble error={isAsking ? error : null} /> : null}
      {isAsking && canRead ? (
        <HitList
          id={`${id}-hits`}
          idOf={(index) => `${id}-${index}`}
          entries={entries}
          active={active}
          isStale={isPlaceholderData}
          onActive={onActive}
          onPick={pick}
        />
      ) : (
        help
      )}
    </>
  )
}

const describeHits = ({ count, corrected }: { count: number; corrected?: string }, q: string): ReactNode => {
  if (count === 0) return `Nothing found for “${q.trim()}”.`
  const found = count === 1 ? '1 hit' : `${count} hits`
  if (corrected === undefined) return found
  return (
    <>
      {found} for <strong className="corrected">{corrected}</strong>
    </>
  )
}
