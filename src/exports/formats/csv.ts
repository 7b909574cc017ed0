import { csvCell } from '../../../core/text/csv-cell'
import type { ListedParcel } from '../../parcels/list-parcels'
import { type ExportFormat, type Place, parsePlace, parseValues } from '../export-format'

const encoder = new TextEncoder()
/** GDAL and QGIS read the boundary from a column with this name. */
const GEOMETRY = 'wkt'

/**
 * RFC 4180 with a header. Unknown values are empty, lists are separated by semicolons or, like accounts, a JSON array, and the
 * boundary or point is well-known text. A text that a spreadsheet would read as a formula begins with an apostrophe.
 */
export const csv: ExportFormat = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: '.csv',
  isStreamable: true,
  isText: true,
  needsGeometry: false,
  async *encode(pages, { columns, withGeometry }) {
    const names = columns.map(({ name }) => name)
    yield encoder.encode(`${[...names, ...(withGeometry ? [GEOMETRY] : [])].join(',')}\r\n`)
    for await (const rows of pages) {
      let text = ''
      for (const [index, values] of parseValues(rows).entries()) {
        const cells = names.map((name) => toCell(values[name]))
        if (withGeometry) cells.push(toWkt(parsePlace(rows[index] as ListedParcel)))
        text += `${cells.join(',')}\r\n`
      }
      yield encoder.encode(text)
    }
  },
}

const toCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return csvCell(toListText(value))
  return typeof value === 'string' ? csvCell(value) : String(value)
}

/** A list is a JSON array if one of its texts would be read as several, or as a list. */
const toListText = (list: readonly unknown[]): string => {
  const isPlain = list.every((item) => typeof item === 'string' && !/^\s*\[|;/.test(item))
  return isPlain ? list.join('; ') : JSON.stringify(list)
}

const toWkt = (place: Place | null): string => {
  if (place === null) return ''
  if (place.type === 'Point') return `POINT (${place.coordinates.join(' ')})`
  return `"MULTIPOLYGON (${place.coordinates.map((rings) => `(${rings.map(toRing).join(', ')})`).join(', ')})"`
}

const toRing = (ring: number[][]): string => `(${ring.map(([x, y]) => `${x} ${y}`).join(', ')})`
