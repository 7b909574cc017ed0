/** A text that a spreadsheet would take for a formula gets an apostrophe, so that it stays a text. */
const FORMULA = /^[=+\-@\t\r]/

const toCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** CSV with a header (RFC 4180). */
export const toCsv = <Row extends object>(names: readonly (keyof Row & string)[], rows: readonly Row[]): string =>
  [names.join(','), ...rows.map((row) => names.map((name) => toCell(row[name])).join(','))].join('\r\n').concat('\r\n')
