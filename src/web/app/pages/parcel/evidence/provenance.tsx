import { countNoun } from '../../../../../../core/text/count-noun'
import { useViewer } from '../../../session/viewer'
import { Badge } from '../../../ui/badge'
import { Loaded } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { cut, formatRecordField, formatValue } from '../format-value'
import { type Parcel, useProvenance } from '../parcel-api'
import { KeptPages } from './kept-pages'

const ORIGIN_WORDS = {
  ingest: 'file',
  scrape: 'portal',
  crawl: 'crawl of the portal',
  replay: 'kept page',
  review: 'review',
  operator: 'operator',
  undo: 'undo',
  unknown: 'unknown',
} as const

/** Where each field came from, and when. */
export const Provenance = ({ parcel }: { parcel: Parcel }) => {
  const { canAdminister } = useViewer()
  const origins = useProvenance(parcel)
  return (
    <section className="card provenance">
      <div className="card-head">
        <h2>Sources of each field</h2>
        {canAdminister && <KeptPages name={parcel} record={parcel} />}
      </div>
      <Loaded query={origins} what="the sources of each field">
        {({ fields }) => (
          <DataTable
            label="Where each field comes from"
            sortName="sort_fields"
            rows={fields}
            keyOf={({ field }) => field}
            empty="No sources are recorded."
            columns={[
              {
                name: 'Field',
                isHead: true,
                cell: ({ field }) => formatRecordField(field),
                sortBy: ({ field }) => field,
              },
              { name: 'Value', cell: ({ field, value }) => <span className="cell-message">{say(field, value)}</span> },
              {
                name: 'From',
                cell: ({ origin }) => <Badge>{ORIGIN_WORDS[origin]}</Badge>,
                sortBy: ({ origin }) => origin,
              },
              {
                name: 'Since',
                cell: ({ observed_at }) => <Time at={observed_at} />,
                sortBy: ({ observed_at }) => observed_at,
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  )
}

/** Short, because the page shows the full value elsewhere. */
const say = (field: string, value: unknown): string => {
  // The service lists the boundary only if there is one, and leaves out its coordinates.
  if (field === 'geom_geojson') return 'on the map'
  if (Array.isArray(value) && value.some((entry) => typeof entry === 'object')) {
    return countNoun(value.length, 'entry', 'entries')
  }
  return cut(formatValue(field, value))
}
