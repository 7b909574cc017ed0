/** What a hit, or a parcel of a tile, is called on the map: its id where nobody has given it an address or an owner. */
export const featureLabel = (properties: Record<string, unknown>): string => {
  const { label, situs_address, owner_name, source_parcel_id } = properties
  return String(label || [situs_address, owner_name].filter(Boolean).join(' · ') || source_parcel_id)
}
