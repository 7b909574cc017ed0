import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { changeAddress, useAddressParams } from '../address'
import { MapPanel } from '../map/map-panel'
import { selectParcel, useSelectedParcel } from '../map/selection'
import { signInPath } from '../session/account-api'
import { KeyForm } from '../session/key-form'
import { useViewer } from '../session/viewer'
import { Button } from '../ui/button'
import { useTitle } from '../ui/page'
import { ShareButton } from '../ui/share-button'
import { companyPath, parcelPath } from './entries'
import { FilterBar } from './filter-bar'
import { changeFilters, useFilters } from './filters'
import { useSearch } from './search-api'
import { SearchHelp } from './search-help'
import { SearchPanel } from './search-panel'

/** The search, and the map of its hits. A hit leads to its page. */
export const SearchPage = () => <Search isMapFirst={false} />

/** The map of all parcels, with a search. A hit is selected on the map. */
export const MapPage = () => <Search isMapFirst={true} />

/** The address has all that the page shows: text, filters, selected parcel, and in its hash zoom, latitude and longitude. */
const Search = ({ isMapFirst }: { isMapFirst: boolean }) => {
  useTitle(isMapFirst ? 'Map' : 'Search')
  const [, navigate] = useLocation()
  const { canRead, isKnown } = useViewer()
  const chosen = useFilters()
  const filters = isMapFirst ? ({ ...chosen, types: 'parcels', isGrouped: false } as const) : chosen
  const [active, setActive] = useState<string | null>(null)
  const selected = useSelectedParcel()
  const shows = useAddressParams().get('show') ?? (selected === null ? 'list' : 'map')
  const pane = isMapFirst || shows === 'map' ? 'map' : 'list'
  const search = useSearch(filters)
  const [isFollowing, setFollowing] = useFollowing()
  const change: typeof changeFilters = (changed) => {
    setFollowing(true)
    changeFilters(changed)
  }
  return (
    <main className={`search-page ${isMapFirst ? 'map-page' : `shows-${pane}`}`} id="main">
      <h1 className="unseen">{isMapFirst ? 'Map of parcels' : 'Search parcels'}</h1>
      <div className={isMapFirst ? 'search-side map-side' : 'search-side'}>
        <SearchPanel
          filters={filters}
          onChange={change}
          search={search}
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
          help={
            isMapFirst ? (
              isKnown && (canRead ? <MapHelp /> : <SignInToSearch />)
            ) : (
              <SearchHelp onExample={(q) => change({ q })} />
            )
          }
        >
          <div className="filter-bar">
            {!isMapFirst && <FilterBar filters={filters} onChange={change} />}
            <ShareButton />
          </div>
        </SearchPanel>
      </div>
      <div className="search-map">
        <MapPanel
          hasCountyMenu
          hits={search.places}
          isHeld={search.isTyping}
          activeId={active}
          isFollowing={isFollowing}
          onActive={setActive}
          onPick={() => setFollowing(false)}
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

const MapHelp = () => (
  <section className="search-help quiet small">
    <p>Search for a parcel, or click one on the map to see its details.</p>
    <p className="map-keys">
      With the keyboard on the map, the arrow keys move it, <kbd>+</kbd> and <kbd>-</kbd> zoom, and <kbd>Enter</kbd>{' '}
      opens the parcel in the middle.
    </p>
  </section>
)

const SignInToSearch = () => (
  <section className="search-help">
    <p>Sign in or use an API key to search and to see the details of a parcel.</p>
    <p>
      <a className="button primary" href={signInPath()}>
        Sign in
      </a>
    </p>
    <KeyForm />
  </section>
)
