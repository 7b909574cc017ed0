import { useState } from 'react'
import { changeAddress } from '../../address'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { fetchLater, Part } from '../../ui/page/part'
import { ShareButton } from '../../ui/share-button'
import { readArea, toPolygon } from '../map/drawing/area'
import type { Conditions, Filters } from './filters/filters'
import type { Results } from './results'

/** Fetched when they are opened. */
const ColumnsMenu = fetchLater(async () => (await import('./columns-menu')).ColumnsMenu)
const ExportResults = fetchLater(async () => (await import('./export-results')).ExportResults)
const SaveSearch = fetchLater(async () => (await import('../portfolios/save-search')).SaveSearch)
const AddWatch = fetchLater(async () => (await import('../watches/add-watch')).AddWatch)

/** What can be done with the results of a search. */
export const ResultActions = ({
  results,
  isTable,
  hasFilters,
  filterPanelId,
  onFilters,
}: {
  results: Results
  isTable: boolean
  hasFilters: boolean
  filterPanelId: string
  onFilters: () => void
}) => {
  const { canRead } = useViewer()
  const [dialog, setDialog] = useState<'export' | 'watch' | 'save' | null>(null)
  const hasHits = results.hits.length > 0
  /** An export saves parcels. */
  const isOfCompanies = results.mode === 'text' && results.filters.types === 'entities'
  const target = targetOf(results.filters.conditions)
  return (
    <div className="result-actions">
      {canRead && (
        <Button aria-expanded={hasFilters} aria-controls={filterPanelId} onClick={onFilters}>
          <Icon name="filter" />
          Filters
        </Button>
      )}
      {hasHits && (
        <Button aria-pressed={isTable} onClick={() => changeAddress({ view: isTable ? null : 'table' })}>
          <Icon name="table" />
          Table
        </Button>
      )}
      {isTable && hasHits && (
        <Part>
          <ColumnsMenu isList={results.mode === 'list'} />
        </Part>
      )}
      {hasHits && !isOfCompanies && (
        <Button title="Export" onClick={() => setDialog('export')}>
          <Icon name="download" />
          <span className="unseen">Export</span>
        </Button>
      )}
      {hasHits && target !== null && (
        <Button title="Watch" onClick={() => setDialog('watch')}>
          <Icon name="bell" />
          <span className="unseen">Watch</span>
        </Button>
      )}
      {canRead && results.isAsking && (
        <Button title="Save this search" onClick={() => setDialog('save')}>
          <Icon name="star" />
          <span className="unseen">Save this search</span>
        </Button>
      )}
      <ShareButton />
      <Part>
        {dialog === 'save' && <SaveSearch suggestion={suggest(results.filters)} onClose={() => setDialog(null)} />}
        {dialog === 'export' && <ExportResults results={results} onClose={() => setDialog(null)} />}
        {dialog === 'watch' && target !== null && <AddWatch target={target} onClose={() => setDialog(null)} />}
      </Part>
    </div>
  )
}

/** A name for the search: its text, owner or county. */
const suggest = ({ q, conditions }: Filters): string => (q || conditions.owner || conditions.county || '').slice(0, 100)

/** What a watch can follow of a search: an owner, a place, or a whole source. Null: nothing, such as a text. */
const targetOf = ({ owner, area, source, ...others }: Conditions) => {
  if (owner !== undefined) return { kind: 'owner' as const, owner }
  if (area !== undefined) return { kind: 'polygon' as const, polygon: JSON.stringify(toPolygon(readArea(area))) }
  if (source !== undefined && Object.keys(others).length === 0) return { kind: 'source' as const, source }
  return null
}
