import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { Link } from 'wouter'
import { countNoun } from '../../../../../core/text/count-noun'
import { formatCount } from '../../format'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Progress } from '../../ui/progress'
import { saveCsv, saveFile } from '../../ui/save-file'
import { toCsv } from './csv'
import type { Filters } from './filters/filters'
import { type ParcelHit, type Results, readAllPages } from './results'

/** The page of exports saves more parcels than this. */
const MAX_SAVED = 10_000

const CHOICES = [
  { id: 'csv', name: 'CSV', note: 'for spreadsheets' },
  { id: 'geojson', name: 'GeoJSON', note: 'with boundaries' },
] as const

/** A dialog that saves the parcels that a search shows. The page of exports, with the same filters, writes more of them in more formats. */
export const ExportResults = ({ results, onClose }: { results: Results; onClose: () => void }) => {
  const name = useId()
  const { canExport } = useViewer()
  const [chosen, setChosen] = useState<(typeof CHOICES)[number]['id']>('csv')
  const [done, setDone] = useState(0)
  const controller = useRef<AbortController | null>(null)
  useEffect(() => () => controller.current?.abort(), [])
  const { filters, mode, order, total } = results
  const isList = mode === 'list'
  const most = Math.min(total.count, MAX_SAVED)
  const save = useMutation({
    mutationFn: async () => {
      controller.current = new AbortController()
      const { signal } = controller.current
      setDone(0)
      const saved = { parcels: [] as ParcelHit[], isPartial: false }
      const wanted = { most: MAX_SAVED, order, withGeometry: chosen === 'geojson' }
      for await (const page of readAllPages(filters, wanted, signal)) {
        saved.parcels.push(...page.parcels)
        saved.isPartial ||= page.isPartial
        setDone(saved.parcels.length)
      }
      if (chosen === 'csv') saveCsv('parcels.csv', toCsv(CSV_FIELDS, saved.parcels))
      else saveFile('parcels.geojson', 'application/geo+json', JSON.stringify(toFeatures(saved.parcels)))
      return { count: saved.parcels.length, isPartial: saved.isPartial }
    },
  })
  return (
    <Dialog title="Export" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <fieldset className="choices" disabled={save.isPending}>
          <legend>Format</legend>
          {/* A text search has no boundaries. */}
          {CHOICES.filter(({ id }) => isList || id === 'csv').map((choice) => (
            <label key={choice.id} className="checkbox">
              <input
                type="radio"
                name={name}
                checked={chosen === choice.id}
                onChange={() => {
                  save.reset()
                  setChosen(choice.id)
                }}
              />
              <span>
                {choice.name} <span className="quiet small">{choice.note}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {isList && total.count > MAX_SAVED && (
          <p className="quiet small">Only the first {formatCount(MAX_SAVED)} parcels are saved here.</p>
        )}
        {isList && canExport && (
          <p className="small">
            <Link href={exportsPath(filters)}>Export all parcels with all fields</Link> as GeoParquet, GeoPackage,
            FlatGeobuf and more.
          </p>
        )}
        {save.isPending && (
          <Progress
            label={countNoun(done, 'parcel')}
            share={isList && total.isExact && most > 0 ? Math.min(1, done / most) : null}
          />
        )}
        {save.data !== undefined && (
          <Notice tone={save.data.isPartial ? 'warn' : 'good'}>
            Saved {countNoun(save.data.count, 'parcel')}.
            {save.data.isPartial && ' The service is overloaded, so others may be missing. Export them again later.'}
          </Notice>
        )}
        <Trouble error={save.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            {/* The hits of a text are also companies, and owners with many parcels. */}
            {!isList
              ? 'Export'
              : `Export ${total.isExact ? countNoun(most, 'parcel') : `about ${formatCount(most)} parcels`}`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** The page of exports with these filters. */
const exportsPath = ({ conditions, state }: Filters): string =>
  `/app/exports?${new URLSearchParams({ ...conditions, ...(state === '' ? {} : { state }) })}`

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
    // A parcel without a boundary has a center if its point is known.
    geometry: geom_geojson ?? (center && { type: 'Point', coordinates: center }),
  })),
})
