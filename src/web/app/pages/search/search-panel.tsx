import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { countNoun } from '../../../../../core/text/count-noun'
import { useAddressField, useAddressText } from '../../address'
import { formatCount } from '../../format'
import { useViewer } from '../../session/viewer'
import { Icon } from '../../ui/icon'
import { Trouble } from '../../ui/loaded'
import { Spinner } from '../../ui/spinner'
import { type Entry, listEntries } from './entries'
import type { changeFilters, Filters } from './filters'
import { HitList } from './hit-list'
import { type EntityHit, listRows, type ParcelHit, type Results } from './results'

interface Props {
  filters: Filters
  onChange: typeof changeFilters
  results: Results
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
  /** Next to the number of hits. */
  actions: ReactNode
  /** Above the hits. */
  filterPanel: ReactNode
  /** Shown instead of hits while nothing is searched for. */
  help: ReactNode
  /** Shown instead of the list of hits. */
  table: ReactNode
}

/** A search: a combobox (ARIA 1.2) whose popup is a tree, because groups of one owner's parcels unfold. */
export const SearchPanel = ({
  filters,
  onChange,
  results,
  active,
  onActive,
  onPick,
  label,
  placeholder,
  takesFocus = false,
  children,
  actions,
  filterPanel,
  help,
  table,
}: Props) => {
  const { canRead, isKnown } = useViewer()
  const isSorted = useAddressText('sort') !== ''
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  /** Enter was pressed before the hits of what is typed had arrived. */
  const [isEntered, setEntered] = useState(false)
  const field = useAddressField('q')
  const id = useId()
  const { hits, error, isAsking, isPlaceholderData, isWaiting, hasMore, loadMore } = results
  const entries = useMemo(() => listEntries(hits, open), [hits, open])
  const activeIndex = entries.findIndex((entry) => entry.id === active)

  useEffect(() => {
    if (takesFocus) field.ref.current?.focus({ preventScroll: true })
  }, [takesFocus, field.ref])

  const toggle = (entryId: string, isOpen: boolean) => {
    const next = new Set(open)
    if (isOpen) next.add(entryId)
    else next.delete(entryId)
    setOpen(next)
  }
  const pick = ({ id: entryId, hit, isAll }: Entry) => {
    if (hit.kind !== 'owner-group') return onPick(hit)
    if (isAll) return onChange({ q: '', owner: hit.owner_name })
    toggle(entryId, !open.has(entryId))
  }
  const move = (index: number) => {
    // Past the last hit there may be more.
    if (index >= entries.length && hasMore) return loadMore()
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
          if (entry.hit.kind !== 'owner-group' || entry.isAll) return false
          toggle(entry.id, event.key === 'ArrowRight')
          return true
        }
        case 'Escape':
          setEntered(false)
          if (active !== null) onActive(null)
          else onChange({ q: '' })
          return true
        case 'Enter':
          setEntered(true)
          return true
        default:
          return false
      }
    })()
    if (handled) event.preventDefault()
  }
  useEffect(() => {
    if (!isEntered || isWaiting) return
    setEntered(false)
    const picked = entries[activeIndex] ?? entries[0]
    if (picked) pick(picked)
  })
  const showsHits = isAsking && canRead
  /** The first hits have not arrived, or it is not known yet who asks for them. */
  const isFirstWait = isAsking && (canRead ? isWaiting && !results.isReady : !isKnown)
  return (
    <>
      <search>
        <div className="search-box">
          <Icon name="search" />
          <label htmlFor={id} className="unseen">
            {label}
          </label>
          <input
            {...field}
            id={id}
            type="search"
            role="combobox"
            aria-expanded={showsHits && table === null && entries.length > 0}
            aria-controls={`${id}-hits`}
            aria-haspopup="tree"
            aria-autocomplete="list"
            aria-activedescendant={activeIndex === -1 ? undefined : `${id}-${activeIndex}`}
            placeholder={placeholder}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={200}
            onBlur={() => setEntered(false)}
            onChange={({ target }) => {
              setEntered(false)
              onActive(null)
              onChange({ q: target.value })
            }}
            onKeyDown={press}
          />
        </div>
        {children}
      </search>
      <div className="search-results">
        <div className="search-bar">
          <p className="search-status quiet small" role="status">
            {showsHits &&
              error === null &&
              results.isReady &&
              describeHits(results, filters, { isTable: table !== null, isSorted })}
          </p>
          {actions}
        </div>
        {filterPanel}
        {canRead ? <Trouble error={isAsking ? error : null} /> : null}
        {isFirstWait && <Spinner label="Searching" />}
        {!showsHits && !isFirstWait && help}
        {showsHits && table}
        {showsHits && table === null && (
          <HitList
            id={`${id}-hits`}
            idOf={(index) => `${id}-${index}`}
            entries={entries}
            active={active}
            isStale={isPlaceholderData}
            onActive={onActive}
            onPick={pick}
            results={results}
          />
        )}
      </div>
    </>
  )
}

const describeHits = (
  { total, mode, corrected, hits, hasMore, isPartial }: Results,
  { q, conditions }: Filters,
  { isTable, isSorted }: { isTable: boolean; isSorted: boolean },
): ReactNode => {
  if (isPartial && total.count === 0) return `Nothing found for “${q.trim()}” so far: the service is overloaded.`
  if (total.count === 0) return mode === 'text' ? `Nothing found for “${q.trim()}”.` : 'No parcel meets these filters.'
  const count = `${formatCount(total.count)}${total.isExact || mode === 'list' ? '' : '+'}`
  const noun = mode === 'list' ? 'parcel' : 'hit'
  const isAbout = mode === 'list' && !total.isExact && total.count > hits.length
  const found = `${isAbout ? 'about ' : ''}${count} ${total.count === 1 ? noun : `${noun}s`}`
  const rest = mode === 'text' && conditions.area !== undefined ? ' in the bounding box of the area' : ''
  const ignored = mode === 'text' && conditions.changed_since !== undefined ? ', regardless of when they changed' : ''
  const rows = listRows(hits).length
  // The service sends only the best parcels of an owner.
  const unshown = hits.reduce(
    (sum, hit) => sum + (hit.kind === 'owner-group' ? hit.member_count - hit.members.length : 0),
    0,
  )
  return (
    <>
      {found}
      {corrected !== undefined && (
        <>
          {' '}
          for <strong className="corrected">{corrected}</strong>
        </>
      )}
      {rest}
      {ignored}
      {isTable &&
        hits.some(({ kind }) => kind === 'owner-group') &&
        `, ${unshown > 0 ? `${formatCount(rows)} of ${formatCount(rows + unshown)} rows` : countNoun(rows, 'row')} shown`}
      {isTable && isSorted && mode === 'text' && (hasMore || unshown > 0) && ', sorted among these rows only'}
      {isPartial && ', others may be missing'}
    </>
  )
}
