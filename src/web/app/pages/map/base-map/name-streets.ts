import type * as maplibregl from 'maplibre-gl'
import { keyOf, type MapParcel, type ParcelName } from '../map-parcel'
import { boundsOf } from '../maplibre/bounds'
import { STREET_NAMES_MIN_ZOOM } from '../style/label-layers'
import { type AddressedLot, placeStreetNames } from './street-names'

/** The names that were placed last. Placing the same names again would keep the map busy forever. */
const placedNames = new WeakMap<maplibregl.Map, string>()

/** Writes the names of the streets that the view shows. */
export const nameStreets = (map: maplibregl.Map): void => {
  if (!map.getLayer('street-names') || !map.getLayer('parcels')) return
  const lots = new Map<string, AddressedLot>()
  const features = map.getZoom() < STREET_NAMES_MIN_ZOOM ? [] : map.queryRenderedFeatures({ layers: ['parcels'] })
  for (const { properties, geometry } of features) {
    const { situs_address: address } = properties as MapParcel
    if (!address || (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon')) continue
    const positions = geometry.type === 'Polygon' ? geometry.coordinates.flat() : geometry.coordinates.flat(2)
    const center = boundsOf(positions as [number, number][])?.getCenter()
    if (center) lots.set(keyOf(properties as ParcelName), { address, lon: center.lng, lat: center.lat })
  }
  const names = placeStreetNames([...lots.values()])
  const text = JSON.stringify(names)
  if (text === (placedNames.get(map) ?? '[]')) return
  placedNames.set(map, text)
  map.getContainer().dataset.streets = String(names.length)
  map.getSource<maplibregl.GeoJSONSource>('street-names')?.setData({ type: 'FeatureCollection', features: names })
}

/** The streets are named again, because a new style has no names. */
export const forgetStreets = (map: maplibregl.Map): void => {
  placedNames.delete(map)
}
