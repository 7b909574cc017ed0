import { useState } from 'react'
import { Link } from 'wouter'
import { changeAddress } from '../address'
import { formatDay, formatDollars } from '../format'
import { useParcel } from '../parcel/parcel-api'
import { parcelPath } from '../search/entries'
import { useFilters } from '../search/filters'
import { useSearch } from '../search/search-api'
import { SearchPanel } from '../search/search-panel'
import { signInPath } from '../session/account-api'
import { KeyForm } from '../session/key-form'
import { useViewer } from '../session/viewer'
import { Fact } from '../ui/fact'
import { Icon } from '../ui/icon'
import { Loaded } from '../ui/loaded'
import { useTitle } from '../ui/page'
import { MapPanel } from './map-panel'
import type { MapHit, MultiPolygon, ParcelName } from './map-parcel'

const dollars = (value: number | null): string | null => (value === null ? null : formatDollars(value))

const NO_HITS: readonly MapHit[] = []

/** The parcel that the address names, as `source/id`. */
const readSelected = (): ParcelName | null => {
  const [, source, id] = /^([^/]+)\/(.+)$/.exec(new URLSearchParams(location.search).get('parcel') ?? '') ?? []
  return source === undefined || id === undefined ? null : { source, source_parcel_id: id }
}

/**
 * The map of all parcels, with a search and the details of one parcel. The address says what it shows (text, selected parcel, and in
 * its hash zoom, latitude and longitude), so that a link shows others the same map.
 */
export const MapPage = () => {
  useTitle('Map')
  const { canRead, isKnown } = useViewer()
  const [typed, change] = useFilters()
  const filters = { ...typed, types: 'parcels', isGrouped: false } as const
  const search = useSearch(filters)
  const [active, setActive] = useState<string | null>(null)
  const [selected, setSelected] = useState(readSelected)
  const [showsHits, setShowsHits] = useState(selected === null)
  // The position in a link takes precedence over the hits.
  const [isFollowing, setFollowing] = useState(location.hash === '')
  const parcel = useParcel(selected)

  const select = (name: ParcelName | null, isFollowing: boolean) => {
    setSelected(name)
    setShowsHits(name === null)
    setFollowing(isFollowing)
    changeAddress({ parcel: name && `${name.source}/${name.source_parcel_id}` })
  }
  return (
    <main className="search-page map-page" id="main">
      <h1 className="unseen">Map of parcels</h1>
      <div className="search-side map-side">
        <SearchPanel
          filters={filters}
          onChange={({ q }) => {
            change({ q: q ?? '' })
            setShowsHits(true)
            setFollowing(true)
          }}
          search={showsHits ? search : { ...search, hits: [], isAsking: false }}
          active={active}
          onActive={setActive}
          onPick={(hit) => hit.kind === 'parcel' && select(hit, true)}
          label="Search for an owner, an address or a parcel id"
          placeholder="Owner, address or parcel id"
          help={showsHits && isKnown && (canRead ? <MapHelp /> : <SignInToSearch />)}
        />
        {selected && !showsHits && (
          <section className="map-details" aria-label="Parcel" aria-live="polite">
            <div className="map-details-head">
              <h2>{parcel.data?.situs_address ?? selected.source_parcel_id}</h2>
              <button type="button" className="icon-button" aria-label="Close" onClick={() => select(null, false)}>
                <Icon name="close" />
              </button>
            </div>
            <Loaded query={parcel} what="the parcel">
              {(data) => <Details parcel={data} />}
            </Loaded>
          </section>
        )}
      </div>
      <div className="search-map">
        <MapPanel
          hits={showsHits ? search.places : NO_HITS}
          isHeld={search.isTyping}
          activeId={active}
          selected={selected}
          boundary={(parcel.data?.geom_geojson as MultiPolygon | null | undefined) ?? null}
          isFollowing={isFollowing}
          onActive={setActive}
          onPick={(name) => select(name, false)}
          hasCountyMenu
          isInAddress
          isOpen
        />
      </div>
    </main>
  )
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

const Details = ({ parcel }: { parcel: NonNullable<ReturnType<typeof useParcel>['data']> }) => {
  const { situs_city, situs_state, situs_zip } = parcel
  const rows: [label: string, text: string | null][] = [
    ['Parcel', parcel.source_parcel_id],
    ['Source', parcel.source],
    ['Owner', parcel.owner_name],
    ['Mailing address', parcel.owner_mailing_address],
    ['City', [situs_city, situs_state, situs_zip].filter(Boolean).join(' ')],
    ['Land use', parcel.land_use_class],
    ['Zoning', parcel.zoning_code],
    ['Acres', parcel.acreage?.toLocaleString('en-US', { maximumFractionDigits: 2 }) ?? null],
    ['Assessed value', dollars(parcel.assessed_value)],
    ['Land', dollars(parcel.value_land)],
    ['Buildings', dollars(parcel.value_improvement)],
    ['Updated', formatDay(parcel.updated_at)],
    ['Retired', parcel.retired_at && formatDay(parcel.retired_at)],
  ]
  return (
    <>
      {parcel.geom_geojson === null && <p className="quiet small">The boundary of this parcel is not known.</p>}
      <dl className="facts">
        {rows.map(
          ([label, text]) =>
            text && (
              <Fact key={label} label={label}>
                {text}
              </Fact>
            ),
        )}
      </dl>
      <Link href={parcelPath(parcel)}>All fields</Link>
    </>
  )
}
