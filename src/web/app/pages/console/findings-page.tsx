import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useAddressChoice, useAddressText } from '../../address'
import { api, ask } from '../../api/api'
import { PAGED } from '../../api/queries'
import { formatWords } from '../../format'
import { Badge } from '../../ui/badge'
import { SearchField } from '../../ui/form/search-field'
import { Select } from '../../ui/form/select'
import { Loaded } from '../../ui/loaded'
import { DataTable } from '../../ui/table/data-table'
import { OlderRows } from '../../ui/table/older-rows'
import { Time } from '../../ui/time'
import { DismissFinding } from '../parcel/dismiss-finding'
import { Evidence } from '../parcel/evidence/evidence'
import { SEVERITY_TONES } from '../parcel/findings'
import { parcelPath } from '../search/entries'
import { ConsolePage } from './console-page'

const SEVERITIES = ['high', 'medium', 'low', 'info'] as const
const CATEGORIES = ['ownership', 'valuation', 'tax', 'exemption', 'geometry', 'data-quality'] as const
const PAGE = 100

/** What the review found about all parcels. */
export const FindingsPage = () => {
  const [severity, setSeverity] = useAddressChoice('severity', ['', ...SEVERITIES])
  const [category, setCategory] = useAddressChoice('category', ['', ...CATEGORIES])
  const source = useAddressText('source').trim()
  const [dismissed, setDismissed] = useAddressChoice('dismissed', ['false', 'true', 'any'])
  const findings = useInfiniteQuery({
    queryKey: ['findings', dismissed, severity, category, source],
    queryFn: ({ signal, pageParam }) =>
      ask(
        api.v1.admin.findings.get({
          query: {
            limit: PAGE,
            dismissed,
            ...(severity === '' ? {} : { severity }),
            ...(category === '' ? {} : { category }),
            ...(source === '' ? {} : { source }),
            ...(pageParam === null ? {} : { after: pageParam }),
          },
          fetch: { signal },
        }),
      ),
    ...PAGED,
  })
  const rows = findings.data?.pages.flatMap((page) => page.findings) ?? []
  return (
    <ConsolePage title="Findings" lead="What the review found, newest first.">
      <div className="filters">
        <Select
          label="Severity"
          value={severity}
          onChange={setSeverity}
          options={[['', 'All'], ...SEVERITIES.map((value) => [value, value] as const)]}
        />
        <Select
          label="Category"
          value={category}
          onChange={setCategory}
          options={[['', 'All'], ...CATEGORIES.map((value) => [value, formatWords(value)] as const)]}
        />
        <Select
          label="Show"
          value={dismissed}
          onChange={setDismissed}
          options={[
            ['false', 'Open'],
            ['true', 'Dismissed'],
            ['any', 'All'],
          ]}
        />
        <SearchField label="Source" placeholder="Slug" name="source" />
      </div>
      <Loaded query={findings} what="the findings">
        {() => (
          <>
            <DataTable
              label="Findings"
              rows={rows}
              keyOf={({ id }) => id}
              toneOf={({ severity }) => (severity === 'high' ? 'bad' : severity === 'medium' ? 'warn' : null)}
              empty="No findings match this filter."
              columns={[
                {
                  name: 'Parcel',
                  isHead: true,
                  cell: (finding) => (
                    <>
                      <Link href={parcelPath(finding)}>{finding.situs_address ?? finding.source_parcel_id}</Link>
                      <span className="cell-note">
                        {finding.source} · {finding.source_parcel_id}
                      </span>
                    </>
                  ),
                },
                { name: 'Severity', cell: ({ severity }) => <Badge tone={SEVERITY_TONES[severity]}>{severity}</Badge> },
                { name: 'Category', cell: ({ category }) => formatWords(category) },
                {
                  name: 'What to do',
                  cell: ({ suggested_action, evidence }) => (
                    <div className="cell-message wide">
                      {suggested_action}
                      <Evidence evidence={evidence} />
                    </div>
                  ),
                },
                { name: 'Seen', cell: ({ generated_at }) => <Time at={generated_at} /> },
                { name: 'Dismissal', cell: (finding) => <DismissFinding finding={finding} /> },
              ]}
            />
            <OlderRows count={rows.length} list={findings} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  )
}
