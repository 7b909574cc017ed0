import { toRowJson } from '../../parcels/list-parcels'
import { type ExportFormat, onOneLine } from '../export-format'

const encoder = new TextEncoder()

/** One JSON object per line, as the database writes it: nothing is parsed here. */
export const ndjson: ExportFormat = {
  mediaType: 'application/x-ndjson',
  extension: '.ndjson',
  isStreamable: true,
  isText: true,
  needsGeometry: false,
  async *encode(pages) {
    for await (const rows of pages) {
      let text = ''
      for (const row of rows) text += `${onOneLine(toRowJson(row))}\n`
      yield encoder.encode(text)
    }
  },
}
