import type { MapParcel } from './map-parcel'

/** The lines of a parcel's label: its known address and owner, and its id. */
export const labelLines = ({ situs_address, owner_name, source_parcel_id }: MapParcel): string[] =>
  [situs_address, owner_name, source_parcel_id].filter((line): line is string => Boolean(line))
