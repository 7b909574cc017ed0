import { type ReactNode, useEffect, useId } from 'react'
import { useAddressField, useAddressText } from '../../address'
import { useViewer } from '../../session/viewer'
import { Icon } from '../../ui/icon'
import { Trouble } from '../../ui/loaded'
import { Spinner } from '../../ui/spinner'
import type { changeFilters, Filters } from './filters/filters'
import { HitCount } from './hit-count'
import { HitList } from './hit-list'
import type { EntityHit, ParcelHit, Results } from './results'
import { useEntries } from './use-entries'

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
  const field = useAddressField('q')
  const id = useId()
  const { error, isAsking, isPlaceholderData, isWaiting } = results
  const { entries, activeIndex, pick, onKeyDown, forgetEnter } = useEntries({
    results,
    isTable: table !== null,
    active,
    onActive,
    onPick,
    onChange,
  })

  useEffect(() => {
    if (takesFocus) field.ref.current?.focus({ preventScroll: true })
  }, [takesFocus, field.ref])

  const showsHits = isAsking && canRead
  /** The first hits have not arrived, or it is not known yet who asks for them. */
  const isFirstWait = isAsking && (canRead ? isWaiting && !results.isReady : !isKnown)
  const count = showsHits && error === null && results.isReady && (
    <HitCount results={results} filters={filters} isTable={table !== null} isSorted={isSorted} />
  )
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
            enterKeyHint="go"
            spellCheck={false}
            maxLength={200}
            onBlur={forgetEnter}
            onChange={({ target }) => {
              forgetEnter()
              onActive(null)
              onChange({ q: target.value })
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        {children}
      </search>
      <div className="search-results">
        <div className="search-bar">
          <p className="search-status quiet small" aria-hidden="true">
            {count}
          </p>
          {/* Screen readers say how many there are once the person stops typing, and not with each letter. */}
          <p className="unseen" role="status">
            {!results.isTyping && !isWaiting && count}
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
