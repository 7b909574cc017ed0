import { lazy, Suspense, useEffect, useId, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { changeAddress, useAddressParams } from '../../address'
import { KeyForm } from '../../session/key-form'
import { SignInLink } from '../../session/sign-in-link'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { useMainFocus, useTitle } from '../../ui/page/page'
import { Opening, Spinner } from '../../ui/spinner'
import { cornersOf, readArea, writeArea } from '../map/drawing/area'
import { MapPanel } from '../map/map-panel'
import { selectParcel, useSelectedParcel } from '../map/selection'
import { companyPath, parcelPath } from './entries'
import { ConditionChips } from './filters/condition-chips'
import { FilterBar } from './filters/filter-bar'
import { changeFilters, useFilters } from './filters/filters'
import { ResultActions } from './result-actions'
import { useResults } from './results'
import { SearchHelp } from './search-help'
import { SearchPanel } from './search-panel'

const FilterPanel = lazy(async () => ({ default: (await import('./filters/filter-panel')).FilterPanel }))
const ResultsTable = lazy(async () => ({ default: (await import('./results-table')).ResultsTable }))

/** The search, and the map of its hits. A hit leads to its page. */
export const SearchPage = () => <Search isMapFirst={false} />

/** The map of all parcels, with a search. A hit is selected on the map. */
export const MapPage = () => <Search isMapFirst={true} />

/** The URL has all that the page shows: text, filters, selected parcel, and in its hash zoom, latitude and longitude. */
const Search = ({ isMapFirst }: { isMapFirst: boolean }) => {
  useTitle(isMapFirst ? 'Map' : 'Search')
  const main = useMainFocus(isMapFirst)
  const [, navigate] = useLocation()
  const { canRead } = useViewer()
  const chosen = useFilters()
  const filters = isMapFirst ? ({ ...chosen, types: 'parcels', isGrouped: false } as const) : chosen
  const [active, setActive] = useState<string | null>(null)
  const params = useAddressParams()
  const selected = useSelectedParcel()
  const shows = params.get('show') ?? (selected === null ? 'list' : 'map')
  const pane = isMapFirst || shows === 'map' ? 'map' : 'list'
  const results = useResults(filters)
  const isTable = params.get('view') === 'table'
  const [hasFilters, setHasFilters] = useState(false)
  const filterPanelId = useId()
  const [isFollowing, setFollowing] = useFollowing()
  const change: typeof changeFilters = (changed) => {
    setFollowing(true)
    changeFilters(changed)
  }
  const { area: drawn, bbox } = filters.conditions
  const area = useMemo(
    () => (drawn !== undefined ? readArea(drawn) : bbox !== undefined ? cornersOf(bbox) : null),
    [drawn, bbox],
  )
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
          onPick={(hit) => {
            if (!isMapFirst || hit.kind === 'entity') {
              return navigate(hit.kind === 'entity' ? companyPath(hit) : parcelPath(hit))
            }
            setFollowing(true)
            selectParcel(hit)
          }}
          label={`Search for an owner, an address${isMapFirst ? '' : ', a company'} or a parcel id`}
          placeholder={isMapFirst ? 'Owner, address or parcel id' : 'Owner, address, company or parcel id'}
          takesFocus={!isMapFirst}
          actions={
            <ResultActions
              results={results}
              isTable={isTable}
              hasFilters={hasFilters}
              filterPanelId={filterPanelId}
              onFilters={() => setHasFilters(!hasFilters)}
            />
          }
          filterPanel={
            <>
              <div id={filterPanelId} hidden={!hasFilters}>
                {hasFilters && (
                  <Suspense fallback={<Opening />}>
                    <FilterPanel filters={filters} onChange={change} />
                  </Suspense>
                )}
              </div>
              <ConditionChips conditions={filters.conditions} onChange={change} />
            </>
          }
          table={
            isTable && results.hits.length > 0 ? (
              <Suspense fallback={<Opening />}>
                <ResultsTable results={results} />
              </Suspense>
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
                onBox: (box) => searchHere({ area: null, bbox: box.map((degrees) => degrees.toFixed(5)).join() }),
              }
            : {})}
          isInAddress
          isOpen={pane === 'map' || undefined}
        />
      </div>
      {!isMapFirst && (
        <div className="pane-switch">
          <Button
            kind="primary"
            onClick={() => changeAddress({ show: pane === 'list' ? 'map' : 'list', parcel: null })}
          >
            {pane === 'list' ? 'Show the map' : 'Show the list'}
          </Button>
        </div>
      )}
    </main>
  )
}

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

/** Shown if the filters alone select too many parcels to list. */
const WideHelp = () => (
  <p className="search-help">
    Choose a county, draw an area, or search this part of the map to see the parcels that meet the filters.
  </p>
)

const MapHelp = () => {
  const { canRead, isKnown } = useViewer()
  if (!isKnown) return <Spinner label="Loading" />
  if (!canRead) return <SignInToSearch />
  return (
    <section className="search-help quiet small">
      <p>Search for a parcel, or click one on the map to see its details.</p>
      <p className="map-keys">
        With the keyboard on the map, the arrow keys move it, <kbd>+</kbd> and <kbd>-</kbd> zoom, and <kbd>Enter</kbd>{' '}
        opens the parcel in the middle.
      </p>
    </section>
  )
}

const SignInToSearch = () => (
  <section className="search-help">
    <p>Sign in or use an API key to search and to see the details of a parcel.</p>
    <p>
      <SignInLink className="button primary">Sign in</SignInLink>
    </p>
    <KeyForm />
  </section>
)
