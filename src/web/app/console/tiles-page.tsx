import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callPending } from '../account-api'
import { useEvents } from '../events'
import { formatBytes, formatCount, formatDuration, formatMoment } from '../format'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { CopyButton } from '../ui/copy-button'
import { DataTable } from '../ui/data-table'
import { Loaded, Trouble } from '../ui/loaded'
import { Progress } from '../ui/progress'
import { Time } from '../ui/time'
import { ConsolePage } from './console-page'
import { Figure } from './health-page'

interface TileBuild {
  id: string
  layer: string
  state: 'building' | 'published' | 'retired' | 'failed'
  started_at: string
  finished_at: string | null
  tiles: number | null
  bytes: number | null
  url: string | null
  error: string | null
}

interface Tiles {
  manifest: { parcels: { url: string; pmtiles_url: string; updated_at: string; size_bytes: number } } | null
  builds: TileBuild[]
  building: boolean
}

interface BuildEvent {
  state: string
  done?: number
  total?: number
}

const TONES = { building: 'warn', published: 'good', retired: 'plain', failed: 'bad' } as const

/** The archive that maps are drawn from, those before it, and the building of the next. */
export const TilesPage = () => {
  const queries = useQueryClient()
  const queryKey = ['admin-tiles']
  const tiles = useQuery({
    queryKey,
    queryFn: ({ signal }) => callPending<Tiles>('GET', '/v1/admin/tiles', undefined, signal),
    refetchInterval: ({ state }) => (state.data?.building ? 2_000 : 30_000),
  })
  const [progress, setProgress] = useState<BuildEvent | null>(null)
  useEvents(['tile_build'], ({ event, data }) => {
    const told = data as BuildEvent
    const isUnderWay = event === 'tile_build' && (told.state === 'building' || told.state === 'running')
    setProgress(isUnderWay ? told : null)
    if (!isUnderWay) void queries.invalidateQueries({ queryKey })
  })
  const build = useMutation({
    mutationFn: () => callPending('POST', '/v1/admin/tiles/build', {}),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  })
  const isBuilding = tiles.data?.building ?? false
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
      {isBuilding && (
        <section className="card" aria-live="polite">
          <Progress label="Building the tiles" done={progress?.done ?? null} total={progress?.total ?? null} />
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
                  <CopyButton text={manifest.parcels.pmtiles_url} label="Copy the pmtiles address" />
                </div>
                <dl className="figures">
                  <Figure label="Size" value={formatBytes(manifest.parcels.size_bytes)} />
                  <Figure label="Since" value={formatMoment(manifest.parcels.updated_at)} />
                </dl>
                <code className="address">{manifest.parcels.url}</code>
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
                  { name: 'Begun', isHead: true, cell: ({ started_at }) => <Time at={started_at} /> },
                  { name: 'State', cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
                  { name: 'Layer', cell: ({ layer }) => layer },
                  { name: 'Size', isNumber: true, cell: ({ bytes }) => (bytes === null ? '–' : formatBytes(bytes)) },
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
          </>
        )}
      </Loaded>
    </ConsolePage>
  )
}
