import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeAddress, useAddressParams } from '../../../address'
import { useEvents } from '../../../api/events'
import { repeatEvery } from '../../../api/queries'
import { formatBytes, formatCount, formatDuration } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { CopyButton } from '../../../ui/copy-button'
import { Figure } from '../../../ui/figure'
import { Select } from '../../../ui/form/select'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Progress } from '../../../ui/progress'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { describeCondition } from '../../search/filters/condition-chips'
import { ConsolePage } from '../console-page'
import { useThrottled } from '../use-throttled'
import { NewLayer } from './new-layer'
import { buildTiles, getTiles, MAIN_LAYER } from './tiles-api'

const REFRESH_EVERY_MS = 400
const TONES = { building: 'warn', published: 'good', retired: 'plain', failed: 'bad', unchanged: 'plain' } as const

/** The published archive of a layer, earlier archives, and the running build. The page's address has the layer. */
export const TilesPage = () => {
  const queries = useQueryClient()
  const layer = useAddressParams().get('layer') ?? MAIN_LAYER
  const queryKey = ['admin-tiles', layer]
  const tiles = useQuery({
    queryKey,
    queryFn: ({ signal }) => getTiles(layer, signal),
    refetchInterval: repeatEvery(30_000),
  })
  const refreshSoon = useThrottled(() => queries.invalidateQueries({ queryKey }), REFRESH_EVERY_MS)
  useEvents(['tile_build'], refreshSoon)
  const build = useMutation({
    mutationFn: () => buildTiles(layer, tiles.data?.builds[0]?.filter ?? {}),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  })
  const { building = null, requested = null, layers = [] } = tiles.data ?? {}
  const isBuilding = building !== null || requested !== null
  return (
    <ConsolePage
      title="Tiles"
      lead="The archive of boundaries that maps are drawn from."
      actions={
        <Button kind="primary" isBusy={build.isPending || isBuilding} onClick={() => build.mutate()}>
          {isBuilding ? 'Building' : 'Build now'}
        </Button>
      }
    >
      <Trouble error={build.error} />
      {layers.length > 1 && (
        <Select
          label="Layer"
          value={layer}
          options={[...new Set([MAIN_LAYER, layer, ...layers])].map((name) => [name, name])}
          onChange={(name) => changeAddress({ layer: name === MAIN_LAYER ? null : name })}
        />
      )}
      {isBuilding && (
        <section className="card" aria-live="polite">
          <Progress
            label={building === null ? 'Waiting for the tiles role' : 'Building the tiles'}
            share={building?.share ?? null}
          />
        </section>
      )}
      <Loaded query={tiles} what="the tiles">
        {({ manifest, builds }) => (
          <>
            {manifest === null ? (
              <p className="empty">There is no archive yet: build one.</p>
            ) : (
              <section className="card">
                <div className="card-head">
                  <h2>Published</h2>
                  <CopyButton text={manifest.pmtiles_url} label="Copy the pmtiles:// URL" />
                </div>
                <dl className="figures">
                  <Figure label="Size">{formatBytes(manifest.size_bytes)}</Figure>
                  <Figure label="Published">
                    <Time at={manifest.updated_at} />
                  </Figure>
                </dl>
                <code className="address">{manifest.url}</code>
              </section>
            )}
            <section className="card">
              <h2>Builds</h2>
              <DataTable
                label="Builds"
                rows={builds}
                keyOf={({ id }) => id}
                toneOf={({ state }) => (state === 'failed' ? 'bad' : null)}
                empty="Nothing has been built yet."
                columns={[
                  { name: 'Started', isHead: true, cell: ({ started_at }) => <Time at={started_at} /> },
                  { name: 'Filter', cell: ({ filter }) => describeFilter(filter) },
                  { name: 'Status', cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
                  {
                    name: 'Requested by',
                    cell: ({ requested_by }) => requested_by ?? <span className="quiet">schedule or command</span>,
                  },
                  { name: 'Size', isNumber: true, cell: ({ bytes }) => (bytes === null ? '–' : formatBytes(bytes)) },
                  {
                    name: 'Parcels',
                    isNumber: true,
                    cell: ({ parcels }) => (parcels === null ? '–' : formatCount(parcels)),
                  },
                  { name: 'Tiles', isNumber: true, cell: ({ tiles }) => (tiles === null ? '–' : formatCount(tiles)) },
                  {
                    name: 'Took',
                    isNumber: true,
                    cell: ({ started_at, finished_at }) =>
                      formatDuration(finished_at === null ? null : Date.parse(finished_at) - Date.parse(started_at)),
                  },
                  { name: 'What happened', cell: ({ error }) => <span className="cell-message">{error ?? ''}</span> },
                ]}
              />
            </section>
            <NewLayer />
          </>
        )}
      </Loaded>
    </ConsolePage>
  )
}

const describeFilter = (filter: Readonly<Record<string, unknown>>) => {
  const conditions = Object.entries(filter).map(([name, value]) => describeCondition(name, String(value)))
  return conditions.length === 0 ? <span className="quiet">all parcels</span> : conditions.join(' · ')
}
