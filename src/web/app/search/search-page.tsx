import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { MapPanel } from '../map/map-panel'
import type { MapHit } from '../map/parcel-map'
import { useViewer } from '../session/viewer'
import { Button } from '../ui/button'
import { Icon } from '../ui/icon'
import { Trouble } from '../ui/loaded'
import { useTitle } from '../ui/page'
import { type Entry, listEntries, parcelPath } from './entries'
import { FilterBar } from './filter-bar'
import { useFilters } from './filters'
import { HitList } from './hit-list'
import { type Hit, type ParcelHit, useSearch } from './search-api'
import { SearchHelp } from './search-help'
import { useIsChanging } from './use-is-changing'

const NONE: Hit[] = []
/** Longer than between two letters. */
const TYPING_MS = 300

/** The search: a combobox (ARIA 1.2) whose popup is a tree, since owners' groups unfold; and the map of what it found. */
export const SearchPage = () => {
  useTitle('Search')
  const viewer = useViewer()
  const [, navigate] = useLocation()
  const [filters, change] = useFilters()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [active, setActive] = useState<string | null>(null)
  const [pane, setPane] = useState<'list' | 'map'>('list')
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const { data, error, isPlaceholderData } = useSearch(filters, viewer.canRead)
  const isAsking = [...filters.q.trim()].length >= 2
  const hits = isAsking && error === null ? (data?.results ?? NONE) : NONE
  const entries = useMemo(() => listEntries(hits, open), [hits, open])
  const places = useMemo(() => placesOf(hits), [hits])
  const isTyping = useIsChanging(filters.q, TYPING_MS)
  const activeIndex = entries.findIndex((entry) => entry.id === active)

  useEffect(() => {
    input.current?.focus({ preventScroll: true })
  }, [])

  const toggle = (entryId: string, isOpen: boolean) => {
    const next = new Set(open)
    if (isOpen) next.add(entryId)
    else next.delete(entryId)
    setOpen(next)
  }
  const pick = (entry: Entry) => {
    if (entry.hit.kind === 'parcel') navigate(parcelPath(entry.hit))
    else if (entry.hit.kind === 'owner-group') toggle(entry.id, !open.has(entry.id))
    else {
      change({ q: entry.hit.name, types: 'parcels' })
      input.current?.focus()
    }
  }
  const move = (index: number) => {
    const entry = entries[(index + entries.length) % entries.length]
    if (entry) setActive(entry.id)
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
          if (active !== null) setActive(null)
          else change({ q: '' })
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
    <main className={`search-page shows-${pane}`} id="main">
      <h1 className="unseen">Search parcels</h1>
      <div className="search-side">
        <search>
          <div className="search-box">
            <Icon name="search" />
            <label htmlFor={id} className="unseen">
              Search for an owner, an address, a company or a parcel id
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
              placeholder="Owner, address, company or parcel id"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              maxLength={200}
              value={filters.q}
              onChange={({ target }) => {
                setActive(null)
                change({ q: target.value })
              }}
              onKeyDown={press}
            />
          </div>
          <FilterBar filters={filters} onChange={change} />
        </search>
        <p className="search-status quiet small" role="status">
          {isAsking && viewer.canRead && error === null && data && sayFound(data, filters.q)}
        </p>
        {viewer.canRead ? <Trouble error={isAsking ? error : null} /> : null}
        {isAsking && viewer.canRead ? (
          <HitList
            id={`${id}-hits`}
            idOf={(index) => `${id}-${index}`}
            entries={entries}
            active={active}
            isStale={isPlaceholderData}
            onActive={setActive}
            onPick={pick}
          />
        ) : (
          <SearchHelp onExample={(q) => change({ q })} />
        )}
      </div>
      <div className="search-map">
        <MapPanel
          hits={places}
          isHeld={isTyping}
          activeId={active}
          onActive={setActive}
          onPick={(name) => navigate(parcelPath(name))}
          isOpen={pane === 'map' || undefined}
        />
      </div>
      <div className="pane-switch">
        <Button kind="primary" onClick={() => setPane(pane === 'list' ? 'map' : 'list')}>
          {pane === 'list' ? 'Show the map' : 'Show the list'}
        </Button>
      </div>
    </main>
  )
}

const sayFound = ({ count, corrected }: { count: number; corrected?: string }, q: string): React.ReactNode => {
  if (count === 0) return `Nothing found for “${q.trim()}”.`
  const found = count === 1 ? '1 hit' : `${count} hits`
  if (corrected === undefined) return found
  return (
    <>
      {found} for <strong className="corrected">{corrected}</strong>
    </>
  )
}

/** Where the hits are: those of an owner's group too, whether it is open or not. */
const placesOf = (hits: readonly Hit[]): MapHit[] =>
  hits
    .flatMap((hit): ParcelHit[] => (hit.kind === 'parcel' ? [hit] : hit.kind === 'owner-group' ? hit.members : []))
    .flatMap(({ source, source_parcel_id, situs_address, owner_name, center }) => {
      const [lon, lat] = center ?? []
      if (lon === undefined || lat === undefined) return []
      const label = situs_address ?? owner_name ?? source_parcel_id
      return [{ id: `parcel:${source}/${source_parcel_id}`, source, source_parcel_id, label, lon, lat }]
    })
