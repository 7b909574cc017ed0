import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countNoun } from '../../../../../core/text/count-noun'
import { PAGED, repeatFailed } from '../../api/queries'
import { formatBytes, formatDay } from '../../format'
import { ForReaders } from '../../session/for-readers'
import { useViewer } from '../../session/viewer'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Select } from '../../ui/form/select'
import { Loaded, Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Page } from '../../ui/page/page'
import { pathOf } from '../../ui/path-of'
import { Progress } from '../../ui/progress'
import { OlderRows } from '../../ui/table/older-rows'
import { Time } from '../../ui/time'
import { useCoverage } from '../coverage/coverage-api'
import { ConditionChips, describeCondition } from '../search/filters/condition-chips'
import { FilterPanel } from '../search/filters/filter-panel'
import { changeFilters, useFilters } from '../search/filters/filters'
import {
  cancelExport,
  canLeaveOutBoundaries,
  type Export,
  FORMATS,
  type FormatName,
  GEOMETRIES,
  type Geometry,
  isTextFormat,
  listExports,
  orderExport,
} from './export-api'

const POLL_MS = 1_000

/** Exports of parcels to files: filters, format, progress, download. The page's address has the filters, as that of the search does. */
export const ExportsPage = () => {
  const { canExport } = useViewer()
  return (
    <Page title="Exports" lead="Save all parcels that match a filter as a file.">
      <ForReaders purpose="export parcels">
        {canExport ? (
          <>
            <NewExport />
            <Exports />
          </>
        ) : (
          <Notice tone="warn">To export parcels, you need the paid plan. Ask an admin for it.</Notice>
        )}
      </ForReaders>
    </Page>
  )
}

const NewExport = () => {
  const queries = useQueryClient()
  const filters = useFilters()
  const [format, setFormat] = useState<FormatName>('geoparquet')
  const [isCompressed, setCompressed] = useState(false)
  const [wanted, setGeometry] = useState<Geometry>('full')
  const geometry = wanted === 'none' && !canLeaveOutBoundaries(format) ? 'full' : wanted
  const order = useMutation({
    mutationFn: () => orderExport(filters, format, isCompressed && isTextFormat(format), geometry),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  })
  const conditions = { ...filters.conditions, ...(filters.state === '' ? {} : { state: filters.state }) }
  return (
    <section className="card" aria-labelledby="new-export">
      <div className="card-head">
        <h2 id="new-export">New export</h2>
      </div>
      <FilterPanel filters={filters} onChange={changeFilters} />
      <ConditionChips conditions={conditions} onChange={changeFilters} />
      <div className="filter-panel">
        <Select label="Format" value={format} options={FORMATS} onChange={setFormat} />
        <Select
          label="Boundaries"
          value={geometry}
          options={GEOMETRIES.filter(([name]) => name !== 'none' || canLeaveOutBoundaries(format))}
          onChange={setGeometry}
        />
      </div>
      {isTextFormat(format) && (
        <label className="checkbox">
          <input type="checkbox" checked={isCompressed} onChange={({ target }) => setCompressed(target.checked)} />
          Compress with gzip
        </label>
      )}
      <Trouble error={order.error} />
      <div className="row">
        <Button kind="primary" isBusy={order.isPending} onClick={() => order.mutate()}>
          Export
        </Button>
        <span className="quiet small">
          {Object.keys(conditions).length === 0 ? 'No filter: all parcels are exported.' : ''}
        </span>
      </div>
    </section>
  )
}

const isUnderWay = ({ status }: Export): boolean => status === 'queued' || status === 'running'

const Exports = () => {
  const exports = useInfiniteQuery({
    queryKey: ['exports'],
    queryFn: ({ signal, pageParam }) => listExports(pageParam, signal),
    ...PAGED,
    refetchInterval: (query) =>
      repeatFailed(query) || (query.state.data?.pages.some((page) => page.exports.some(isUnderWay)) ? POLL_MS : false),
  })
  const all = exports.data?.pages.flatMap((page) => page.exports) ?? []
  return (
    <Loaded query={exports} what="your exports">
      {() =>
        all.length === 0 ? (
          <p className="empty">You have no exports yet.</p>
        ) : (
          <>
            {all.map((one) => (
              <ExportCard key={one.id} export={one} />
            ))}
            <OlderRows count={all.length} list={exports} />
          </>
        )
      }
    </Loaded>
  )
}

const TONES = { queued: 'plain', running: 'plain', done: 'good', error: 'bad' } as const

const ExportCard = ({ export: one }: { export: Export }) => {
  const { data: coverage } = useCoverage()
  const nameOf = (slug: string): string => {
    const county = coverage?.sources.find(({ source }) => source === slug)
    return county === undefined ? slug : `${county.county_name}, ${county.state}`
  }
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => cancelExport(one.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  })
  const {
    id,
    status,
    format,
    gzip,
    filter,
    rows,
    total,
    size_bytes,
    download_url,
    error_message,
    licenses,
    area_bbox,
  } = one
  const conditions = [
    ...Object.entries(filter).map(([name, value]) => describeCondition(name, String(value))),
    ...(area_bbox === null ? [] : [describeCondition('area', '')]),
  ]
  const name = FORMATS.find(([known]) => known === format)?.[1] ?? format
  return (
    <section className="card" aria-label={`Export ${id}`}>
      <div className="card-head">
        <h2>
          {name}
          {gzip && ', gzip'}
        </h2>
        <Badge tone={TONES[status]}>{status}</Badge>
      </div>
      <p className="quiet small">
        {conditions.length === 0 ? 'All parcels' : conditions.join(' · ')}. Requested <Time at={one.created_at} />
        {one.expires_at !== null && <>, kept until {formatDay(one.expires_at)}</>}
      </p>
      {isUnderWay(one) && (
        <Progress
          label={countNoun(rows, 'parcel')}
          share={total === null || total === 0 ? null : Math.min(1, rows / total)}
        />
      )}
      {status === 'error' && error_message !== null && <Notice tone="bad">{error_message}</Notice>}
      <Trouble error={cancel.error} />
      {licenses !== null && licenses.length > 0 && (
        <ul className="quiet small" aria-label="Licenses">
          {licenses.map(({ sources, license, attribution }) => (
            <li key={sources.join()}>
              {[sources.map(nameOf).join('; '), license ?? 'license unknown', attribution].filter(Boolean).join(' · ')}
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        {download_url !== null && (
          <a className="button primary" href={pathOf(download_url)} download>
            Download {countNoun(rows, 'parcel')}, {formatBytes(size_bytes ?? 0)}
          </a>
        )}
        {isUnderWay(one) && (
          <Button kind="quiet" isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        )}
      </div>
    </section>
  )
}
