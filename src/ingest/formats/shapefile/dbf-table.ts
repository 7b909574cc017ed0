import { ROW_GROUP } from '../../../../core/bounds'
import type { Format } from '../format'
import { isDbf, openDbf } from './dbf'

/** A dBASE table without a shapefile, as counties publish their rolls. A deleted row is left out. */
export const dbfTable: Format = {
  unit: 'row',
  isFormat: isDbf,
  async *read(input, { encoding, onHeader, onCrs }) {
    onCrs({ crs: null, from: input.name, isLonLatByDefault: true })
    const dbf = await openDbf(input, { encoding, declared: null })
    try {
      onHeader(dbf.columns)
      let before = 0
      for (;;) {
        const rows = await dbf.next(ROW_GROUP.rows)
        const first = before + 1
        yield rows.flatMap((properties, index) => (properties === null ? [] : [{ line: first + index, properties }]))
        before += rows.length
        if (rows.length < ROW_GROUP.rows) return
      }
    } finally {
      await dbf.close()
    }
  },
}
