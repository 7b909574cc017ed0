import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { sourceState } from '../../../../../core/sources/source-state'
import { useAddressChoice, useAddressText } from '../../address'
import { api, ask } from '../../api/api'
import { repeatEvery } from '../../api/queries'
import { titleOfClass } from '../../charts/run-strip'
import { Sparkline } from '../../charts/sparkline'
import { DASH, formatCount } from '../../format'
import { Figure } from '../../ui/figure'
import { SearchField } from '../../ui/form/search-field'
import { Select } from '../../ui/form/select'
import { Loaded } from '../../ui/loaded'
import { type Column, DataTable } from '../../ui/table/data-table'
import { Time } from '../../ui/time'
import { ConsolePage } from './console-page'
import { HeldLoads } from './loads/held-loads'
import { SourceBadge, toneOfState } from './source-badge'
import { SourceName } from './source-name'
import { PROBLEMS } from './sources/runs'

const REFETCH_MS = 15_000
const HISTORY_DAYS = 14
const ROWS_AT_A_TIME = 50
/** From this share on, failures are red. */
const BAD_PERCENT = 20

const useHealth = () =>
  useQuery({
    queryKey: ['source-health'],
    queryFn: ({ signal }) => ask(api.v1.admin.sources.health.get({ query: {}, fetch: { signal } })),
    refetchInterval: repeatEvery(REFETCH_MS),
  })

type Health = NonNullable<ReturnType<typeof useHealth>['data']>['sources'][number]

const toneOf = (row: Health): 'bad' | 'warn' | null => toneOfState(sourceState(row))

const TONE_ORDER = { bad: 2, warn: 1, none: 0 }

/** The share of the last scrapes that failed, in percent; null if there was none. */
const failingShare = ({ recent_runs, recent_failed }: Health): number | null =>
  recent_runs === 0 ? null : Math.round((100 * recent_failed) / recent_runs)

const padded = (count: number): string => String(count).padStart(9, '0')

/** Most urgent first: by state, then by the share that fails, then by waiting work, then by errors. Sources without parcels are last. */
const urgencyOf = (row: Health): string =>
  [
    TONE_ORDER[toneOf(row) ?? 'none'],
    padded(row.active ? (failingShare(row) ?? 0) : 0),
    padded(row.queued + row.running),
    Number(row.active),
    padded(row.errors_24h),
    padded(row.parcel_count),
  ].join(' ')

interface ErrorHistory {
  /** The errors of each day, by source. */
  errorsOf: ReadonlyMap<string, number[]>
  /** The most on any day of any source. */
  mostErrors: number
}

const useErrorHistory = (): ErrorHistory => {
  const { data } = useQuery({
    queryKey: ['error-history'],
    queryFn: ({ signal }) =>
      ask(api.v1.admin.sources['error-history'].get({ query: { days: HISTORY_DAYS }, fetch: { signal } })),
    refetchInterval: repeatEvery(60_000),
  })
  return useMemo(() => {
    const errorsOf = new Map(
      data?.sources.map(({ source_slug, days }) => [source_slug, days.map(({ errors }) => errors)]),
    )
    return { errorsOf, mostErrors: Math.max(1, ...[...errorsOf.values()].flat()) }
  }, [data])
}

const listColumns = ({ errorsOf, mostErrors }: ErrorHistory): Column<Health>[] => [
  {
    name: 'Source',
    isHead: true,
    sortBy: ({ source }) => source,
    cell: (row) => <SourceName {...row} />,
  },
  {
    name: 'Status',
    sortBy: urgencyOf,
    cell: (row) => (
      <>
        <SourceBadge state={sourceState(row)} />
        {row.problem !== null && (
          <span className="cell-note">
            {PROBLEMS[row.problem]}
            {row.failure_class !== null && `: ${titleOfClass(row.failure_class)}`}
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Parcels',
    isNumber: true,
    sortBy: ({ parcel_count }) => parcel_count,
    cell: ({ parcel_count }) => formatCount(parcel_count),
  },
  {
    name: 'Queued',
    isNumber: true,
    sortBy: ({ queued, running }) => queued + running,
    cell: ({ queued, running }) => (
      <>
        {formatCount(queued)}
        {running > 0 && <span className="cell-note">{formatCount(running)} running</span>}
      </>
    ),
  },
  {
    name: 'Failing',
    isNumber: true,
    sortBy: failingShare,
    cell: (row) => {
      const share = failingShare(row)
      return share === null ? (
        <span className="quiet">–</span>
      ) : (
        <>
          <span className={share >= BAD_PERCENT ? 'tone-bad' : undefined}>{share}%</span>
          <span className="cell-note">
            {row.recent_failed} of {row.recent_runs}
          </span>
        </>
      )
    },
  },
  {
    name: 'Errors, 24 h',
    isNumber: true,
    sortBy: ({ errors_24h }) => errors_24h,
    cell: ({ source, errors_24h }) =>
      errors_24h === 0 ? (
        '0'
      ) : (
        <Link className="tone-bad" href={`/app/console/jobs?status=error&source=${encodeURIComponent(source)}`}>
          {formatCount(errors_24h)}
        </Link>
      ),
  },
  {
    name: '14 days',
    cell: ({ source }) => {
      const errors = errorsOf.get(source)
      return errors === undefined ? (
        <span className="quiet">–</span>
      ) : (
        <Sparkline
          label={`${errors.reduce((total, day) => total + day, 0)} errors in ${errors.length} days`}
          values={errors}
          most={mostErrors}
        />
      )
    },
  },
  {
    name: 'Last success',
    sortBy: ({ last_success_at }) => last_success_at,
    cell: ({ last_success_at }) => <Time at={last_success_at} />,
  },
  {
    name: 'Last error',
    sortBy: ({ last_error_at }) => last_error_at,
    cell: ({ last_error_at }) => <Time at={last_error_at} />,
  },
  {
    name: 'Next due',
    sortBy: ({ active, next_due_at }) => (active ? next_due_at : null),
    cell: ({ active, next_due_at }) => (active ? <Time at={next_due_at} /> : DASH),
  },
]

export const HealthPage = () => {
  const health = useHealth()
  const history = useErrorHistory()
  const words = useAddressText('find')
  const [show, setShow] = useAddressChoice('show', ['all', 'active', 'problems'])
  const columns = useMemo(() => listColumns(history), [history])
  const rows = health.data?.sources ?? []
  const wanted = words.trim().toLowerCase()
  const shown = rows.filter(
    (row) =>
      (show === 'all' || (show === 'active' ? row.active : toneOf(row) !== null)) &&
      `${row.source} ${row.county_name} ${row.vendor}`.toLowerCase().includes(wanted),
  )
  return (
    <ConsolePage
      title="Health"
      lead="The state of every source, most urgent first. “Failing” is the share of the last 50 scrapes that failed."
    >
      <HeldLoads />
      <Loaded query={health} what="the sources’ health">
        {({ sources }) => (
          <>
            <Figures rows={sources} />
            <div className="filters">
              <SearchField label="Find" placeholder="County, source or vendor" name="find" />
              <Select
                label="Show"
                value={show}
                onChange={setShow}
                options={[
                  ['all', 'All sources'],
                  ['active', 'Active sources'],
                  ['problems', 'With problems'],
                ]}
              />
            </div>
            <DataTable
              label="Health of sources"
              rows={shown}
              keyOf={({ source }) => source}
              toneOf={toneOf}
              empty="No sources match this filter."
              initialSort="-status"
              rowsAtATime={ROWS_AT_A_TIME}
              columns={columns}
            />
          </>
        )}
      </Loaded>
    </ConsolePage>
  )
}

/** The totals of all sources. */
const Figures = ({ rows }: { rows: readonly Health[] }) => {
  const sum = (read: (row: Health) => number) => formatCount(rows.reduce((total, row) => total + read(row), 0))
  const failing = rows.filter((row) => toneOf(row) === 'bad').length
  return (
    <dl className="figures">
      <Figure label="Sources">{formatCount(rows.length)}</Figure>
      <Figure label="Active">{formatCount(rows.filter(({ active }) => active).length)}</Figure>
      <Figure label="Failing" tone={failing > 0 ? 'bad' : 'plain'}>
        {formatCount(failing)}
      </Figure>
      <Figure label="Parcels">{sum(({ parcel_count }) => parcel_count)}</Figure>
      <Figure label="Queued">{sum(({ queued }) => queued)}</Figure>
      <Figure label="Running">{sum(({ running }) => running)}</Figure>
      <Figure label="Errors, 24 hours">{sum(({ errors_24h }) => errors_24h)}</Figure>
    </dl>
  )
}
