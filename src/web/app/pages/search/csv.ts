import { csvCell } from '../../../../../core/text/csv-cell'

const toCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? csvCell(value) : String(value)
}

/** CSV with a header (RFC 4180). */
export const toCsv = <Row extends object>(names: readonly (keyof Row & string)[], rows: readonly Row[]): string =>
  [names.join(','), ...rows.map((row) => names.map((name) => toCell(row[name])).join(','))].join('\r\n').concat('\r\n')
