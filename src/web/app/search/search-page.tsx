import { useState } from 'react'
import { useLocation } from 'wouter'
import { MapPanel } from '../map/map-panel'
import { Button } from '../ui/button'
import { useTitle } from '../ui/page'
import { companyPath, parcelPath } from './entries'
import { FilterBar } from './filter-bar'
import { useFilters } from './filters'
import { useSearch } from './search-api'
import { SearchHelp } from './search-help'
import { SearchPanel } from './search-panel'

/** The search, and the map of its hits. */
export const SearchPage = () => {
  useTitle('Search')
  const [, navigate] = useLocation()
  const [filters, change] = useFilters()
  const [active, setActive] = useState<string | null>(null)
  const [pane, setPane] = useState<'list' | 'map'>('list')
  const search = useSearch(filters)
  return (
    <main className={`search-page shows-${pane}`} id="main">
      <h1 className="unseen">Search parcels</h1>
      <div className="search-side">
        <SearchPanel
          filters={filters}
          onChange={change}
          search={search}
          active={active}
          onActive={setActive}
          onPick={(hit) => navigate(hit.kind === 'entity' ? companyPath(hit) : parcelPath(hit))}
          label="Search for an owner, an address, a company or a parcel id"
          placeholder="Owner, address, company or parcel id"
          takesFocus
          help={<SearchHelp onExample={(q) => change({ q })} />}
        >
          <FilterBar filters={filters} onChange={change} />
        </SearchPanel>
      </div>
      <div className="search-map">
        <MapPanel
          hasCountyMenu
          hits={search.places}
          isHeld={search.isTyping}
          activeId={active}
          onActive={setActive}
          onPick={(name) => name && navigate(parcelPath(name))}
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
