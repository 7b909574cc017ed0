import { useQuery } from '@tanstack/react-query'
import { api, ask, at } from '../api'
import { sayField } from '../format'
import { Badge } from '../ui/badge'
import { DataTable } from '../ui/data-table'
import { Loaded } from '../ui/loaded'
import { Time } from '../ui/time'
import { type Parcel, parcelKey } from './parcel-api'

/** Where each field came from, and when. */
export const Provenance = ({ parcel }: { parcel: Parcel }) => {
  const origins = useQuery({
    queryKey: [...parcelKey(parcel), 'provenance'],
    queryFn: ({ signal }) =>
      ask(
        api.v1
          .parcels({ source: at(parcel.source) })({ id: at(parcel.source_parcel_id) })
          .provenance.get({ fetch: { signal } }),
      ),
  })
  return (
    <section className="card">
      <h2>Where it comes from</h2>
      <Loaded query={origins} what="where it comes from">
        {({ fields }) => (
          <DataTable
            label="Where each field comes from"
            rows={fields}
            keyOf={({ field }) => field}
            empty="Nothing is recorded."
            columns={[
              { name: 'Field', isHead: true, cell: ({ field }) => sayField(field), sortBy: ({ field }) => field },
              { name: 'Value', cell: ({ value }) => <span className="cell-message">{say(value)}</span> },
              { name: 'From', cell: ({ origin }) => <Badge>{origin}</Badge>, sortBy: ({ origin }) => origin },
              {
                name: 'Seen',
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

const LONGEST = 120

const say = (value: unknown): string => {
  // The boundary is on the map.
  if (value === null) return ''
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
