import { useMemo } from 'react'
import { SOURCE_STATES } from '../../../../../core/sources/source-state'
import { useAddressChoice, useAddressText } from '../../address'
import { DASH, formatCount, formatDuration } from '../../format'
import { Figure } from '../../ui/figure'
import { SearchField } from '../../ui/form/search-field'
import { Select } from '../../ui/form/select'
import { Loaded } from '../../ui/loaded'
import { Page } from '../../ui/page/page'
import { DataTable } from '../../ui/table/data-table'
import { Time } from '../../ui/time'
import { SOURCE_STATE_WORDS, SourceBadge, toneOfState } from '../console/source-badge'
import { MapPanel } from '../map/map-panel'
import { type Coverage, type CoveredSource, useCoverage } from './coverage-api'
import { DataAge } from './data-age'
import { averageOf, FillBars } from './fill-bars'

/** Which counties the service has, how complete and how current they are. No key is needed. */
export const CoveragePage = () => {
  const coverage = useCoverage()
  return (
    <Page title="Coverage" lead="The counties of this service, how complete their data is, and how current.">
      <Loaded query={coverage} what="the coverage">
        {(data) =>
          data.count === 0 ? (
            <>
              <Figures coverage={data} />
              <p className="empty">There are no counties yet.</p>
            </>
          ) : (
            <Counties coverage={data} />
          )
        }
      </Loaded>
    </Page>
  )
}

const Figures = ({ coverage: { sources, api: times, dataset_version } }: { coverage: Coverage }) => {
  const sum = (read: (county: CoveredSource) => number) =>
    formatCount(sources.reduce((total, one) => total + read(one), 0))
  return (
    <dl className="figures">
      <Figure label="Counties">{formatCount(sources.length)}</Figure>
      <Figure label="Parcels">{sum(({ parcels }) => parcels)}</Figure>
      <Figure label="Retired">{sum(({ retired }) => retired)}</Figure>
      <Figure label="Changes, 30 days">{sum(({ changes_30d }) => changes_30d)}</Figure>
      <Figure label="Median response">{formatDuration(times.p50_ms)}</Figure>
      <Figure label="95th percentile">{formatDuration(times.p95_ms)}</Figure>
      <Figure label="Dataset version">{formatCount(dataset_version)}</Figure>
    </dl>
  )
}

const Counties = ({ coverage }: { coverage: Coverage }) => {
  const { sources } = coverage
  const words = useAddressText('find')
  const states = [...new Set(sources.map((county) => county.state))].sort()
  const [state, setState] = useAddressChoice('state', ['', ...states])
  const [status, setStatus] = useAddressChoice('status', ['', ...SOURCE_STATES])
  const wanted = words.trim().toLowerCase()
  const shown = useMemo(
    () =>
      sources.filter(
        (county) =>
          (state === '' || county.state === state) &&
          (status === '' || county.status === status) &&
          `${county.county_name} ${county.source}`.toLowerCase().includes(wanted),
      ),
    [sources, state, status, wanted],
  )
  const slugs = useMemo(() => shown.map(({ source }) => source), [shown])
  return (
    <>
      <Figures coverage={coverage} />
      <div className="coverage-map">
        <MapPanel counties={slugs} hasCountyMenu />
      </div>
      <div className="filters">
        <SearchField label="Find" placeholder="County or slug" name="find" />
        <Select
          label="State"
          value={state}
          onChange={setState}
          options={[['', 'All'], ...states.map((code) => [code, code] as const)]}
        />
        <Select
          label="Source"
          value={status}
          onChange={setStatus}
          options={[['', 'All'], ...SOURCE_STATES.map((value) => [value, SOURCE_STATE_WORDS[value].text] as const)]}
        />
      </div>
      <DataTable
        label="Counties"
        rowsAtATime={50}
        rows={shown}
        keyOf={({ source }) => source}
        toneOf={({ status }) => toneOfState(status)}
        empty="No counties match this filter."
        initialSort="county"
        columns={[
          {
            name: 'County',
            isHead: true,
            sortBy: ({ county_name, state }) => `${county_name}, ${state}`,
            cell: ({ source, county_name, state }) => (
              <>
                {county_name}, {state}
                <span className="cell-note">{source}</span>
              </>
            ),
          },
          {
            name: 'Source',
            sortBy: ({ status }) => SOURCE_STATES.indexOf(status),
            cell: ({ status }) => <SourceBadge state={status} />,
          },
          {
            name: 'Parcels',
            isNumber: true,
            sortBy: ({ parcels, counted_at }) => (counted_at === null ? null : parcels),
            cell: ({ parcels, counted_at }) => (counted_at === null ? DASH : formatCount(parcels)),
          },
          {
            name: 'Retired',
            isNumber: true,
            sortBy: ({ retired, counted_at }) => (counted_at === null ? null : retired),
            cell: ({ retired, counted_at }) => (counted_at === null ? DASH : formatCount(retired)),
          },
          {
            name: 'Filled',
            isNumber: true,
            sortBy: ({ fill_rates }) => (fill_rates === null ? null : averageOf(fill_rates)),
            cell: ({ fill_rates }) => <FillBars rates={fill_rates} />,
          },
          {
            name: 'Data as of',
            sortBy: ({ data_as_of }) => data_as_of,
            cell: ({ data_as_of, data_is_stale }) => <DataAge asOf={data_as_of} isStale={data_is_stale} />,
          },
          {
            name: 'Refreshed',
            sortBy: ({ last_refresh_at }) => last_refresh_at,
            cell: ({ last_refresh_at }) => <Time at={last_refresh_at} />,
          },
          {
            name: 'Changes, 30 days',
            isNumber: true,
            sortBy: ({ changes_30d }) => changes_30d,
            cell: ({ changes_30d }) => formatCount(changes_30d),
          },
        ]}
      />
    </>
  )
}
