import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { api, ask, at } from '../api/api'
import { formatBytes, formatCount } from '../format'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { Trouble } from '../ui/loaded'
import { Notice } from '../ui/notice'
import { pathOf } from '../ui/path-of'
import { Progress } from '../ui/progress'
import { saveFile } from '../ui/save-file'
import { toCsv } from './csv'
import { type ParcelHit, type Results, readAllPages, toListQuery } from './results'

/** More parcels than this are exported by the service. */
const MAX_SAVED = 10_000
const POLL_MS = 1_000

interface Choice {
  id: 'csv' | 'geojson' | 'geoparquet' | 'geopackage' | 'flatgeobuf'
  name: string
  note: string
  /** Whether the service writes it to a file. Otherwise this page does. */
  isFile?: true
}

const CHOICES: readonly Choice[] = [
  { id: 'csv', name: 'CSV', note: 'for spreadsheets' },
  { id: 'geojson', name: 'GeoJSON', note: 'with boundaries' },
  { id: 'geoparquet', name: 'GeoParquet', note: 'all fields, with boundaries', isFile: true },
  { id: 'geopackage', name: 'GeoPackage', note: 'all fields, with boundaries', isFile: true },
  { id: 'flatgeobuf', name: 'FlatGeobuf', note: 'all fields, with boundaries', isFile: true },
]

/** A dialog that exports the parcels that a search shows. */
export const ExportResults = ({ results, onClose }: { results: Results; onClose: () => void }) => {
  const name = useId()
  const [chosen, setChosen] = useState<Choice['id']>('csv')
  const [done, setDone] = useState(0)
  const controller = useRef<AbortController | null>(null)
  useEffect(() => () => controller.current?.abort(), [])
  const { filters, mode, total } = results
  // A text search has no boundaries, and exports to files take filters alone.
  const choices = CHOICES.filter(({ id, isFile = false }) => mode === 'list' || (id === 'csv' && !isFile)).filter(
    ({ isFile = false }) => !isFile || filters.conditions.area === undefined,
  )
  const isFile = CHOICES.some((choice) => choice.id === chosen && choice.isFile)
  const save = useMutation({
    mutationFn: async () => {
      controller.current = new AbortController()
      const { signal } = controller.current
      setDone(0)
      const parcels: ParcelHit[] = []
      const wanted = { most: MAX_SAVED, withGeometry: chosen === 'geojson' }
      for await (const page of readAllPages(filters, wanted, signal)) {
        parcels.push(...page)
        setDone(parcels.length)
      }
      if (chosen === 'csv') saveFile('parcels.csv', 'text/csv', toCsv(CSV_FIELDS, parcels))
      else saveFile('parcels.geojson', 'application/geo+json', JSON.stringify(toFeatures(parcels)))
      return parcels.length
    },
  })
  const order = useMutation({
    mutationFn: async () => {
      controller.current = new AbortController()
      const { query } = toListQuery(filters)
      return waitForExport(chosen as 'geoparquet', query, controller.current.signal, setDone)
    },
  })
  const work = isFile ? order : save
  const tooMany = !isFile && total.count > MAX_SAVED
  return (
    <Dialog title="Export" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate()
        }}
      >
        <fieldset className="choices">
          <legend>Format</legend>
          {choices.map((choice) => (
            <label key={choice.id} className="checkbox">
              <input
                type="radio"
                name={name}
                checked={chosen === choice.id}
                onChange={() => {
                  save.reset()
                  order.reset()
                  setChosen(choice.id)
                }}
              />
              <span>
                {choice.name} <span className="quiet small">{choice.note}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {tooMany && (
          <p className="quiet small">
            The first {formatCount(MAX_SAVED)} parcels are saved.
            {choices.some((choice) => choice.isFile) && ' The last three formats have all of them.'}
          </p>
        )}
        {work.isPending && (
          <Progress
            label={`${formatCount(done)} parcels`}
            share={total.isExact && total.count > 0 ? Math.min(1, done / Math.min(total.count, MAX_SAVED)) : null}
          />
        )}
        {save.data !== undefined && <Notice tone="good">Saved {formatCount(save.data)} parcels.</Notice>}
        {order.data && (
          <Notice tone="good">
            The file is ready: <a href={order.data.url}>download {formatBytes(order.data.sizeBytes)}</a>
          </Notice>
        )}
        <Trouble error={work.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="primary" isBusy={work.isPending}>
            Export {formatCount(isFile ? total.count : Math.min(total.count, MAX_SAVED))}
            {total.isExact ? '' : '+'} parcels
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const CSV_FIELDS = [
  'source',
  'source_parcel_id',
  'owner_name',
  'situs_address',
  'situs_city',
  'situs_state',
  'county_name',
  'state',
  'assessed_value',
  'value_land',
  'value_improvement',
  'acreage',
  'land_use_class',
  'zoning_code',
  'updated_at',
] as const

const toFeatures = (parcels: readonly ParcelHit[]) => ({
  type: 'FeatureCollection',
  features: parcels.map(({ kind, center, highlight, geom_geojson = null, ...properties }) => ({
    type: 'Feature',
    properties,
    geometry: geom_geojson,
  })),
})

/** Orders an export to a file, and waits for it. @throws Refusal, or Error if the export failed */
const waitForExport = async (
  format: 'geoparquet' | 'geopackage' | 'flatgeobuf',
  filter: ReturnType<typeof toListQuery>['query'],
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<{ url: string; sizeBytes: number }> => {
  let ordered = await ask(api.v1.exports.post({ format, filter }, { fetch: { signal } }))
  while (ordered.status === 'queued' || ordered.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    signal.throwIfAborted()
    ordered = await ask(api.v1.exports({ id: at(ordered.id) }).get({ fetch: { signal } }))
    onProgress(ordered.rows)
  }
  const { download_url, size_bytes, error_message } = ordered
  if (download_url === null) throw new Error(error_message ?? 'The export has no file.')
  return { url: pathOf(download_url), sizeBytes: size_bytes ?? 0 }
}
