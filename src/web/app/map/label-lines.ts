import type { MapParcel } from './map-parcel'

/** What a label says of a parcel: its address, its owner and its id, as far as they are known. */
export const labelLines = ({ situs_address, owner_name, source_parcel_id }: MapParcel): string[] =>
  [situs_address, owner_name, source_parcel_id].filter((line): line is string => Boolean(line))
