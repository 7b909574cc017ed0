import { wkbToGeojson } from 'hyparquet/src/wkb.js'
import { BOUNDARY_BOUNDS } from '../../../core/bounds'
import { reasonOf } from './reason-of'
import { isCurved, readCurvedSurface } from './wkb-curves'

/** Converts ISO WKB (OGC 06-103r4) to GeoJSON. For an invalid value, the `type` of the result describes the problem. */
export const parseWkb = (bytes: Uint8Array): unknown => {
  if (bytes.length > BOUNDARY_BOUNDS.binaryBytes) return { type: `value of ${bytes.length} bytes` }
  try {
    if (isCurved(bytes)) return readCurvedSurface(bytes)
    return wkbToGeojson({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 })
  } catch (error) {
    return { type: `value that is not WKB (${reasonOf(error)})` }
  }
}
