import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { FILE_VENDOR } from '../../../../../../core/sources/file-vendor'
import { countNoun } from '../../../../../../core/text/count-noun'
import { useAddressChoice, useAddressText } from '../../../address'
import { api, ask, at } from '../../../api/api'
import { formatCount, formatWords } from '../../../format'
import { Button } from '../../../ui/button'
import { SearchField } from '../../../ui/form/search-field'
import { Select } from '../../../ui/form/select'
import { Switch } from '../../../ui/form/switch'
import { Loaded, Trouble } from '../../../ui/loaded'
import { type Column, DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { ConsolePage } from '../console-page'
import { SourceName } from '../source-name'
import { Activation } from './activation'
import { formatProved } from './proof'
import { SourceDialog } from './source-dialog'

const useSources = () =>
  useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => ask(api.v1.sources.get({ query: {}, fetch: { signal } })),
  })

type Source = NonNullable<ReturnType<typeof useSources>['data']>['sources'][number]

/** County portals: which are scraped, how often, and with what settings. */
export const SourcesPage = () => {
  const sources = useSources()
  const queries = useQueryClient()
  const words = useAddressText('find')
  const [active, setActive] = useAddressChoice('active', ['', 'yes', 'no'])
  const [edited, setEdited] = useState<string | null>(null)
  const change = useMutation({
    mutationFn: ({ source, active }: { source: string; active: boolean }) =>
      ask(api.v1.sources({ source: at(source) }).patch({ active })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sources'] }),
  })
  const rows = sources.data?.sources ?? []
  const valuesOf = (read: (row: Source) => string) => [...new Set(rows.map(read))].sort()
  const states = valuesOf((row) => row.state)
  const vendors = valuesOf((row) => row.vendor)
  const [state, setState] = useAddressChoice('state', ['', ...states])
  const [vendor, setVendor] = useAddressChoice('vendor', ['', ...vendors])
  const shown = useMemo(() => {
    const wanted = words.trim().toLowerCase()
    return rows.filter(
      (row) =>
        (state === '' || row.state === state) &&
        (vendor === '' || row.vendor === vendor) &&
        (active === '' || row.active === (active === 'yes')) &&
        (wanted === '' || `${row.source} ${row.county_name} ${row.base_url}`.toLowerCase().includes(wanted)),
    )
  }, [rows, words, state, vendor, active])
  return (
    <ConsolePage
      title="Sources"
      lead="Counties: which portals are scraped and which files are loaded, how often, and with what settings."
      actions={
        <Link className="button primary" href="/app/console/add-county">
          Add a county
        </Link>
      }
    >
      <div className="filters">
        <SearchField label="Find" placeholder="County, slug or URL" name="find" />
        <Select
          label="State"
          value={state}
          onChange={setState}
          options={[['', 'All'], ...states.map((value) => [value, value] as const)]}
        />
        <Select
          label="Vendor"
          value={vendor}
          onChange={setVendor}
          options={[['', 'All'], ...vendors.map((value) => [value, value] as const)]}
        />
        <Select
          label="Active"
          value={active}
          onChange={setActive}
          options={[
            ['', 'All'],
            ['yes', 'Active'],
            ['no', 'Not active'],
          ]}
        />
      </div>
      <Trouble error={change.error} />
      {change.data?.active && <Activation key={change.data.source} {...change.data} />}
      <Loaded query={sources} what="the sources">
        {({ count }) => (
          <>
            <p className="quiet small" role="status">
              {shown.length === count
                ? countNoun(count, 'source')
                : `${formatCount(shown.length)} of ${countNoun(count, 'source')}`}
            </p>
            <DataTable
              rowsAtATime={50}
              label="Sources"
              rows={shown}
              keyOf={({ source }) => source}
              empty="No sources match this filter."
              columns={listColumns({
                changing: change.isPending ? change.variables.source : null,
                onActive: (source, active) => change.mutate({ source, active }),
                onEdit: setEdited,
              })}
            />
          </>
        )}
      </Loaded>
      {edited !== null && <SourceDialog source={edited} onClose={() => setEdited(null)} />}
    </ConsolePage>
  )
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

const listColumns = ({
  changing,
  onActive,
  onEdit,
}: {
  /** The source that is being switched on or off. */
  changing: string | null
  onActive: (source: string, isActive: boolean) => void
  onEdit: (source: string) => void
}): Column<Source>[] => [
  {
    name: 'Source',
    isHead: true,
    sortBy: ({ source }) => source,
    cell: (row) => <SourceName {...row} />,
  },
  {
    name: 'Vendor',
    sortBy: ({ vendor }) => vendor,
    cell: ({ vendor, base_url }) => (
      <>
        {vendor}
        <span className="cell-note">{base_url === '' ? 'loaded by hand' : hostOf(base_url)}</span>
      </>
    ),
  },
  {
    name: 'Grade',
    sortBy: ({ vendor_grade }) => vendor_grade,
    cell: ({ vendor, vendor_grade, proved_at }) => (
      <>
        {vendor_grade ?? (vendor === FILE_VENDOR ? '' : 'no adapter')}
        {proved_at !== null && <span className="cell-note">{formatProved(proved_at)}</span>}
      </>
    ),
  },
  { name: 'Cadence', sortBy: ({ cadence }) => cadence, cell: ({ cadence }) => formatWords(cadence) },
  {
    name: 'Next due',
    sortBy: ({ next_due_at }) => next_due_at,
    cell: ({ active, next_due_at }) => (active ? <Time at={next_due_at} /> : <span className="quiet">not active</span>),
  },
  {
    name: 'Last complete refresh',
    sortBy: ({ last_full_scrape_at }) => last_full_scrape_at,
    cell: ({ last_full_scrape_at }) => <Time at={last_full_scrape_at} />,
  },
  {
    name: 'Active',
    sortBy: ({ active }) => active,
    cell: ({ source, active }) => (
      <Switch
        label={`${source} is active`}
        isOn={active}
        isBusy={changing === source}
        onChange={(isOn) => onActive(source, isOn)}
      />
    ),
  },
  {
    name: 'Actions',
    cell: ({ source }) => (
      <Button className="small" aria-label={`Edit the settings of ${source}`} onClick={() => onEdit(source)}>
        Edit
      </Button>
    ),
  },
]
