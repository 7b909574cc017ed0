import { Link } from 'wouter'
import { useSource } from '../../api/sources'
import { formatAcres, formatDay, formatDollars, formatKnown } from '../../format'
import { Fact } from '../../ui/fact'
import { Icon } from '../../ui/icon'
import { Loaded } from '../../ui/loaded'
import { useParcel } from '../parcel/parcel-api'
import { sizeOfLand } from '../parcel/size-of-land'
import { SaveParcel } from '../portfolios/save-parcel'
import { parcelPath } from '../search/entries'
import type { ParcelName } from './map-parcel'
import { selectParcel } from './selection'

/** The main fields of the selected parcel, on the map. */
export const ParcelCard = ({ name }: { name: ParcelName }) => {
  const parcel = useParcel(name)
  return (
    <section
      className="map-details"
      aria-label="Parcel"
      aria-live="polite"
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') close(currentTarget)
      }}
    >
      <div className="map-details-head">
        <h2>{parcel.data?.situs_address ?? name.source_parcel_id}</h2>
        <button
          type="button"
          className="icon-button"
          aria-label="Close"
          onClick={({ currentTarget }) => close(currentTarget)}
        >
          <Icon name="close" />
        </button>
      </div>
      <Loaded query={parcel} what="the parcel">
        {(data) => <Details parcel={data} />}
      </Loaded>
    </section>
  )
}

/** Goes back to the map, where the parcel was picked. */
const close = (inCard: HTMLElement): void => {
  const map = inCard.closest('.map-frame')?.querySelector<HTMLElement>('canvas')
  selectParcel(null)
  map?.focus({ preventScroll: true })
}

const Details = ({ parcel }: { parcel: NonNullable<ReturnType<typeof useParcel>['data']> }) => {
  const { situs_city, situs_state, situs_zip } = parcel
  const { data: county, isPending } = useSource(parcel.source)
  const land = sizeOfLand(parcel)
  const rows: [label: string, text: string | null][] = [
    ['Parcel', parcel.source_parcel_id],
    ['County', county ? `${county.county_name}, ${county.state}` : isPending ? ' ' : parcel.source],
    ['Owner', parcel.owner_name],
    ['Mailing address', parcel.owner_mailing_address],
    ['City', [situs_city, situs_state, situs_zip].filter(Boolean).join(' ')],
    ['Land use', parcel.land_use_class],
    ['Zoning', parcel.zoning_code],
    [land.label, formatKnown(land.acres, formatAcres)],
    ['Assessed value', formatKnown(parcel.assessed_value, formatDollars)],
    ['Land', formatKnown(parcel.value_land, formatDollars)],
    ['Buildings', formatKnown(parcel.value_improvement, formatDollars)],
    ['Updated', formatDay(parcel.updated_at)],
    ['Retired', parcel.retired_at && formatDay(parcel.retired_at)],
  ]
  return (
    <>
      {parcel.geom_geojson === null && (
        <p className="quiet small">
          {parcel.lon === null ? 'The boundary of this parcel is not known.' : 'Only a point of this parcel is known.'}
        </p>
      )}
      <dl className="facts">
        {rows.map(
          ([label, text]) =>
            text && (
              <Fact key={label} label={label}>
                {text}
              </Fact>
            ),
        )}
      </dl>
      <div className="row">
        <Link className="button" href={parcelPath(parcel)}>
          All fields
        </Link>
        <SaveParcel name={parcel} />
      </div>
    </>
  )
}
