import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, ask, at } from '../../api/api'
import { formatCount } from '../../format'
import { Loaded } from '../../ui/loaded'
import type { ParcelName } from '../map/map-parcel'
import { parcelPath } from '../search/entries'
import { parcelKey } from './parcel-api'

const FEET_PER_METER = 3.28084
const MAX_SHOWN = 12

/** The parcels that share a border with it, the longest border first. */
export const Neighbors = ({ name }: { name: ParcelName }) => {
  const neighbors = useQuery({
    queryKey: [...parcelKey(name), 'neighbors'],
    queryFn: ({ signal }) =>
      ask(
        api.v1
          .parcels({ source: at(name.source) })({ id: at(name.source_parcel_id) })
          .neighbors.get({ query: { limit: 100 }, fetch: { signal } }),
      ),
  })
  return (
    <section className="card">
      <div className="card-head">
        <h2>Neighbors</h2>
        <span className="quiet small">by length of the shared border</span>
      </div>
      <Loaded query={neighbors} what="the neighbors">
        {({ parcels }) =>
          parcels.length === 0 ? (
            <p className="empty">No parcel shares a border with it.</p>
          ) : (
            <>
              <ul className="linked-rows">
                {parcels
                  .toSorted((a, b) => (b.shared_edge_m ?? 0) - (a.shared_edge_m ?? 0))
                  .slice(0, MAX_SHOWN)
                  .map((parcel) => (
                    <li key={parcel.id}>
                      <Link href={parcelPath(parcel)}>{parcel.situs_address ?? parcel.source_parcel_id}</Link>
                      <span className="quiet small">{parcel.owner_name ?? 'Owner not known'}</span>
                      <span className="amount quiet small">
                        {formatCount(Math.round((parcel.shared_edge_m ?? 0) * FEET_PER_METER))} ft
                      </span>
                    </li>
                  ))}
              </ul>
              {parcels.length > MAX_SHOWN && (
                <p className="quiet small">and {formatCount(parcels.length - MAX_SHOWN)} more</p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}
