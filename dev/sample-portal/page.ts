import type { ParcelFields } from '../../adapters/adapter'
import type { Scrape } from '../../adapters/scrape'

/** The portal's data about a parcel. */
export interface PortalRecord {
  number: string
  fields: { [Name in keyof ParcelFields]?: ParcelFields[Name] | null }
  history: Required<Pick<Scrape, 'statements' | 'valuation_history' | 'sale_history' | 'exemptions' | 'improvements'>>
  /** The date of the data, `YYYY-MM-DD`. */
  updatedOn: string
}

/** The page of a parcel, with its whole history. */
export const writePage = ({ number, fields, history, updatedOn }: PortalRecord): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${Bun.escapeHTML(number)} - Larkspur County Assessor</title></head>
<body><h1>Larkspur County Assessor</h1><p>Synthetic: county, people and places are invented.</p>
<table id="parcel">
${writeDetails([
  ['Parcel number:', number],
  ['Owner:', fields.ownerName],
  ['All owners:', fields.ownerNamesAll],
  ['Mailing address:', fields.ownerMailingAddress],
  ['Situs address:', fields.situsAddress],
  ['City:', fields.situsCity],
  ['State:', fields.situsState],
  ['ZIP:', fields.situsZip],
  ['Land use:', fields.landUseClass],
  ['Zone:', fields.zoningCode],
  ['Zone description:', fields.zoningDescription],
  ['Farm use:', fields.isAgricultural === true ? 'Yes' : 'No'],
  ['Acres:', fields.acreage],
  ['Land value:', writeMoney(fields.valueLand)],
  ['Improvement value:', writeMoney(fields.valueImprovement)],
  ['Assessed value:', writeMoney(fields.assessedValue)],
])}
</table>
${writeSection(
  'Values',
  ['Year', 'Land', 'Improvement', 'Total', 'Assessed'],
  history.valuation_history.map(({ year, land, improvement, total, assessed }) => [
    year,
    ...[land, improvement, total, assessed].map(writeMoney),
  ]),
)}
${writeSection(
  'Tax statements',
  ['Tax year', 'Bill', 'Billed', 'Paid', 'Due', 'Due on', 'Paid on', 'Status'],
  history.statements.map(({ tax_year, bill_number, billed, paid, due, due_on, paid_on, status }) => [
    tax_year,
    bill_number,
    ...[billed, paid, due].map(writeMoney),
    ...[due_on, paid_on].map(writeDate),
    status,
  ]),
)}
${writeSection(
  'Sales',
  ['Sold on', 'Price', 'Deed', 'Grantor', 'Grantee', 'Document'],
  history.sale_history.map(({ sold_on, price, deed_type, grantor, grantee, document_number }) => [
    ...[writeDate(sold_on), writeMoney(price), deed_type, grantor, grantee, document_number],
  ]),
)}
${writeSection(
  'Exemptions',
  ['Code', 'Exemption', 'Amount', 'Year'],
  history.exemptions.map(({ code, description, amount, year }) => [code, description, writeMoney(amount), year]),
)}
${writeSection(
  'Buildings',
  ['No.', 'Type', 'Built', 'Area', 'Bedrooms', 'Baths', 'Value'],
  history.improvements.map(({ number, type, year_built, living_area_sq_ft: area, bedrooms, bathrooms, value }) => [
    ...[number, type, year_built, area === undefined ? null : `${area} sq ft`, bedrooms, bathrooms, writeMoney(value)],
  ]),
)}
<footer>Data as of ${writeDate(updatedOn)}</footer>
</body></html>
`

type Cell = string | number | readonly string[] | null | undefined

const writeDetails = (rows: readonly (readonly [label: string, value: Cell])[]): string =>
  rows.map(([label, value]) => `<tr><th>${label}</th><td>${writeCell(value)}</td></tr>`).join('\n')

const writeSection = (title: string, headings: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${writeCell(cell)}</td>`).join('')}</tr>`)
  const table = `<table>\n<tr>${headings.map((heading) => `<th>${heading}</th>`).join('')}</tr>\n${body.join('\n')}\n</table>`
  return `<section><h2>${title}</h2>\n${rows.length === 0 ? '<p>None on record.</p>' : table}\n</section>`
}

const writeCell = (value: Cell): string =>
  (typeof value === 'object' && value !== null ? value : [String(value ?? '')]).map(escapeHtml).join('<br>')

const writeMoney = (dollars: number | null | undefined): string | null =>
  dollars == null ? null : `$${dollars.toLocaleString('en-US')}`

/** The counties' format: month, day, year. */
const writeDate = (date: string | undefined): string | null => {
  const [year, month, day] = date?.split('-') ?? []
  return year === undefined ? null : `${month}/${day}/${year}`
}

const escapeHtml = (text: string): string => Bun.escapeHTML(text)
