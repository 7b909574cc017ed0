const EARTH_RADIUS_KM = 6371.0088

interface Place {
  lat: number
  lon: number
}

/** Great-circle distance by the haversine formula, on a sphere with the Earth's mean radius. */
export const distanceKm = (a: Place, b: Place): number => {
  const radians = Math.PI / 180
  const sinLat = Math.sin(((b.lat - a.lat) * radians) / 2)
  const sinLon = Math.sin(((b.lon - a.lon) * radians) / 2)
  const chord = sinLat * sinLat + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * sinLon * sinLon
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}
