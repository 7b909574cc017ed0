import { wkbToGeojson } from 'hyparquet/src/wkb.js'

/** A geometry in ISO WKB (OGC 06-103r4) as GeoJSON. Of a value that is not valid, the type says so. */
export const parseWkb = (bytes: Uint8Array): unknown => {
  try {
    return wkbToGeojson({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 })
  } catch (error) {
    return { type: `value that is not WKB (${error instanceof Error ? error.message : error})` }
  }
}
