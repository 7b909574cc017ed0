import { useViewer } from '../../session/viewer'
import { useParcel } from '../parcel/parcel-api'
import { useIsChanging } from '../search/use-is-changing'
import { labelLines } from './label-lines'
import type { MapParcel } from './map-parcel'
import type { Pointed } from './maplibre/pointer'

/** How long the pointer must rest on a parcel before the label appears and a request is sent. */
const REST_MS = 150
const ROW_STALE_MS = 600_000

/** The label of the parcel under the pointer. If the tile has no owner and no address, it requests the parcel's row. */
export const ParcelLabel = ({ pointed, width, height }: { pointed: Pointed | null; width: number; height: number }) => {
  const name = pointed && `${pointed.parcel.source}/${pointed.parcel.source_parcel_id}`
  const isPassing = useIsChanging(name, REST_MS)
  if (pointed === null || isPassing) return null
  const { parcel, x, y } = pointed
  const place = {
    ...(x < width / 2 ? { left: x + 16 } : { right: width - x + 16 }),
    ...(y < height / 2 ? { top: y + 16 } : { bottom: height - y + 16 }),
  }
  return (
    <div className="map-label" role="status" style={place}>
      {parcel.owner_name || parcel.situs_address ? <Lines parcel={parcel} /> : <LinesOfRow parcel={parcel} />}
    </div>
  )
}

/** Shows the id until the row has arrived. */
const LinesOfRow = ({ parcel }: { parcel: MapParcel }) => {
  const { canRead } = useViewer()
  const { data } = useParcel(canRead ? parcel : null, ROW_STALE_MS)
  return <Lines parcel={data ?? parcel} />
}

const Lines = ({ parcel }: { parcel: MapParcel }) =>
  labelLines(parcel).map((line, index) =>
    index === 0 ? <strong key={line}>{line}</strong> : <span key={line}>{line}</span>,
  )
