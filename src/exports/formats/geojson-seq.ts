import { type ExportFormat, onOneLine } from '../export-format'

const encoder = new TextEncoder()
const RECORD_SEPARATOR = '\x1e'

/** A GeoJSON text sequence (RFC 8142): each feature follows a record separator and ends with a line feed. Nothing is parsed here. */
export const geojsonSeq: ExportFormat = {
  mediaType: 'application/geo+json-seq',
  extension: '.geojsonseq',
  isStreamable: true,
  isText: true,
  needsGeometry: false,
  async *encode(pages) {
    for await (const rows of pages) {
      let text = ''
      for (const { body, geom } of rows) {
        const geometry = geom === null ? null : onOneLine(geom)
        text += `${RECORD_SEPARATOR}{"type":"Feature","geometry":${geometry},"properties":${body}}\n`
      }
      yield encoder.encode(text)
    }
  },
}
