import { GeoJSONVT } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { Feature, MultiPolygon } from 'geojson'
import { zxyToTileId } from 'pmtiles'
import { featureId } from '../../../tiles-build/encode/record'
import { BUFFER, EXTENT } from '../../../tiles-build/encode/tile-math'
import { type EncodeTiles, MAX_ZOOM, MIN_ZOOM, PROPERTIES, tilesOf } from '../tiles/tile-encode.bench'

/** Encodes tiles with the libraries that map clients use, with their default simplification. */
export const encodeWithLibraries: EncodeTiles = (rows, emit) => {
  const decoder = new TextDecoder()
  const features = rows.map(({ geometry, properties }): Feature<MultiPolygon> => {
    const known = PROPERTIES.flatMap((name, index) => {
      const text = properties[index]
      return text == null ? [] : [[name, decoder.decode(text)]]
    })
    return {
      type: 'Feature',
      id: featureId(properties[0] as Uint8Array, properties[1] as Uint8Array),
      geometry: JSON.parse(decoder.decode(geometry)),
      properties: Object.fromEntries(known),
    }
  })
  const index = new GeoJSONVT(
    { type: 'FeatureCollection', features },
    { maxZoom: MAX_ZOOM, indexMaxZoom: MAX_ZOOM, indexMaxPoints: 0, extent: EXTENT, buffer: BUFFER },
  )
  for (let z = MIN_ZOOM; z <= MAX_ZOOM; z++) {
    for (const [x, y] of tilesOf(rows, z)) {
      const tile = index.getTile(z, x, y)
      if (tile === null || tile.features.length === 0) continue
      emit(zxyToTileId(z, x, y), fromGeojsonVt({ parcels: tile }, { version: 2, extent: EXTENT }))
    }
  }
}
