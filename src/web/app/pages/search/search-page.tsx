import { useEffect, useId, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { changeAddress, useAddressParams } from '../../address'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { isReturn } from '../../ui/page/navigation'
import { useMainFocus, useTitle } from '../../ui/page/page'
import { fetchLater, Part } from '../../ui/page/part'
import { cornersOf, readArea, writeArea, writeBox } from '../map/drawing/area'
import { MapPanel } from '../map/map-panel'
import { selectParcel, useSelectedParcel } from '../map/selection'
import { companyPath, parcelPath } from './entries'
import { ConditionChips } from './filters/condition-chips'
import { FilterBar } from './filters/filter-bar'
import { changeFilters, type Filters, useFilters } from './filters/filters'
import { ResultActions } from './result-actions'
import { type EntityHit, type ParcelHit, useResults } from './results'
import { MapHelp, SearchHelp, WideHelp } from './search-help'
import { SearchPanel } from './search-panel'

const FilterPanel = fetchLater(async () => (await import('./filters/filter-panel')).FilterPanel)
const ResultsTable = fetchLater(async () => (await import('./results-table')).ResultsTable)

/** The search, and the map of its hits. A hit leads to its page. */
export const SearchPage = () => <Search isMapFirst={false} />

/** The map of all parcels, with a search. A hit is selected on the map. */
export const MapPage = () => <Search isMapFirst={true} />

/** The URL has all that the page shows: text, filters, selected parcel, and in its hash zoom, latitude and longitude. */
const Search = ({ isMapFirst }: { isMapFirst: boolean }) => {
  const [takesFocus] = useState(() => !isMapFirst && !isPhoneReturn())
  const main = useMainFocus(!takesFocus)
  const [, navigate] = useLocation()
  const { canRead } = useViewer()
  const chosen = useFilters()
  const filters = isMapFirst ? ({ ...chosen, types: 'parcels', isGrouped: false } as const) : chosen
  const searched = filters.q.trim()
  useTitle(`${searched === '' ? '' : `${searched} · `}${isMapFirst ? 'Map' : 'Search'}`)
  const [active, setActive] = useState<string | null>(null)
  const params = useAddressParams()
  const selected = useSelectedParcel()
  const shows = params.get('show') ?? (selected === null ? 'list' : 'map')
  const pane = isMapFirst || shows === 'map' ? 'map' : 'list'
  const results = useResults(filters)
  const area = useSearchedArea(filters.conditions)
  const isTable = params.get('view') === 'table'
  const [hasFilters, setHasFilters] = useState(false)
  const filterPanelId = useId()
  const [isFollowing, setFollowing] = useFollowing()
  const change: typeof changeFilters = (changed) => {
    setFollowing(true)
    changeFilters(changed)
  }
  const open = (hit: ParcelHit | EntityHit) => {
    if (hit.kind === 'entity') return navigate(companyPath(hit))
    if (!isMapFirst) return navigate(parcelPath(hit))
    setFollowing(true)
    selectParcel(hit)
  }
  /** Searches what the map shows, so the map stays. */
  const searchHere: typeof changeFilters = (changed) => {
    setFollowing(false)
    changeFilters(changed)
  }
  return (
    <main
      ref={main}
      tabIndex={-1}
      className={`search-page ${isTable && results.isAsking ? 'has-table ' : ''}${isMapFirst ? 'map-page' : `shows-${pane}`}`}
      id="main"
    >
      <h1 className="unseen">{isMapFirst ? 'Map of parcels' : 'Search parcels'}</h1>
      <div className={isMapFirst ? 'search-side map-side' : 'search-side'}>
        <SearchPanel
          filters={filters}
          onChange={change}
          results={results}
          active={active}
          onActive={setActive}
          onPick={open}
          label={`Search for an owner, an address${isMapFirst ? '' : ', a company'} or a parcel id`}
          placeholder={isMapFirst ? 'Owner, address or parcel id' : 'Owner, address, company or parcel id'}
          takesFocus={takesFocus}
          actions={
            <ResultActions
              results={results}
              isTable={isTable}
              hasFilters={hasFilters}
              filterPanelId={filterPanelId}
              onFilters={() => setHasFilters(!hasFilters)}
            />
          }
          filterPanel={<ChosenFilters id={filterPanelId} isOpen={hasFilters} filters={filters} onChange={change} />}
          table={
            isTable && results.hits.length > 0 ? (
              <Part>
                <ResultsTable results={results} />
              </Part>
            ) : null
          }
          help={
            results.mode === 'wide' ? (
              <WideHelp />
            ) : isMapFirst ? (
              <MapHelp />
            ) : (
              <SearchHelp onExample={(q) => change({ q })} />
            )
          }
        >
          {!isMapFirst && <FilterBar filters={filters} onChange={change} />}
        </SearchPanel>
      </div>
      <div className="search-map">
        <MapPanel
          hasCountyMenu
          hits={results.places}
          isUnplaced={results.isUnplaced}
          isHeld={results.isTyping}
          activeId={active}
          isFollowing={isFollowing}
          onActive={setActive}
          onPick={() => setFollowing(false)}
          area={area}
          {...(canRead
            ? {
                onArea: (corners) => searchHere({ q: '', area: writeArea(corners), bbox: null }),
                onBox: (box) => searchHere({ area: null, bbox: writeBox(box) }),
              }
            : {})}
          isInAddress
          isOpen={pane === 'map' || undefined}
        />
      </div>
      {!isMapFirst && <PaneSwitch pane={pane} />}
    </main>
  )
}

/** Whether Back leads to the page on a phone. The focus in a text field would open the keyboard over the hits. */
const isPhoneReturn = (): boolean => isReturn() && matchMedia('(pointer: coarse)').matches

interface ChosenFiltersProps {
  id: string
  isOpen: boolean
  filters: Filters
  onChange: typeof changeFilters
}

/** The panel of all filters, if it is open, and the filters that are set. */
const ChosenFilters = ({ id, isOpen, filters, onChange }: ChosenFiltersProps) => (
  <>
    <div id={id} hidden={!isOpen}>
      {isOpen && (
        <Part>
          <FilterPanel filters={filters} onChange={onChange} />
        </Part>
      )}
    </div>
    <ConditionChips conditions={filters.conditions} onChange={onChange} />
  </>
)

/** Narrow screens show either the list or the map. */
const PaneSwitch = ({ pane }: { pane: 'list' | 'map' }) => (
  <div className="pane-switch">
    <Button kind="primary" onClick={() => changeAddress({ show: pane === 'list' ? 'map' : 'list', parcel: null })}>
      {pane === 'list' ? 'Show the map' : 'Show the list'}
    </Button>
  </div>
)

/** The area that is searched: the drawn one, or the corners of the box. Null: everywhere. */
const useSearchedArea = ({ area, bbox }: Filters['conditions']) =>
  useMemo(() => {
    if (area !== undefined) return readArea(area)
    return bbox === undefined ? null : cornersOf(bbox)
  }, [area, bbox])

/** Whether the map follows the hits. The position in a link, and the one that Back restores, take precedence over the hits. */
const useFollowing = (): [boolean, (isFollowing: boolean) => void] => {
  const [isFollowing, setFollowing] = useState(() => location.hash === '')
  useEffect(() => {
    const stay = () => setFollowing(location.hash === '')
    addEventListener('popstate', stay)
    return () => removeEventListener('popstate', stay)
  }, [])
  return [isFollowing, setFollowing]
}
