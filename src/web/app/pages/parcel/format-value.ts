import { DASH, formatDate, formatDollars, formatFieldName, formatMoment, formatWords } from '../../format'

/** Fields in whole dollars. `was` and `is` are dollars too if they are numbers. */
const DOLLARS = /(^|_)(assessed|amount|billed|difference|due|improvement|is|land|paid|price|taxable|total|value|was)$/
const DOLLARS_OF = /^value_|_value$/
/** Fields whose value is the name of a field. */
const NAMES_A_FIELD = ['field', 'value_is']
const DATE = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/

/** Formats a field's value. The field's name and the value's form show whether it is dollars, a date or a percentage. */
export const formatValue = (field: string, value: unknown): string => {
  if (value === null || value === undefined || value === '') return DASH
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') {
    if (field.endsWith('_pct')) return `${value}%`
    if (DOLLARS.test(field) || DOLLARS_OF.test(field)) return formatDollars(value)
    return Number.isInteger(value) ? String(value) : value.toLocaleString('en-US', { maximumFractionDigits: 4 })
  }
  if (typeof value === 'string') return NAMES_A_FIELD.includes(field) ? formatWords(value) : formatText(value)
  if (Array.isArray(value)) return value.map((entry) => formatValue(field, entry)).join('; ')
  return Object.entries(value)
    .map(([name, part]) => `${formatFieldName(name).toLowerCase()} ${formatValue(name, part)}`)
    .join(', ')
}

/** Formats dates and times; leaves other text as it is. */
export const formatText = (text: string): string => {
  if (Number.isNaN(Date.parse(text))) return text
  return DATE.test(text) ? formatDate(text) : MOMENT.test(text) ? formatMoment(text) : text
}

/** Names of fields, where the API's name does not read well. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  lon: 'Longitude',
  lat: 'Latitude',
  geom: 'Boundary',
  geom_geojson: 'Boundary',
  acreage: 'Acres',
  owner_name: 'Owner',
  owner_names_all: 'Owners',
  owner_mailing_address: 'Mailing address',
  accounts: 'Accounts of the roll',
  situs_address: 'Address',
  situs_city: 'City',
  situs_state: 'State',
  situs_zip: 'ZIP code',
  land_use_class: 'Land use',
  zoning_code: 'Zoning',
  is_agricultural: 'Agricultural',
  value_land: 'Land value',
  value_improvement: 'Building value',
}

/** The name of a field of the record. */
export const formatRecordField = (field: string): string => {
  const member = scrapedMember(field)
  return member === null ? (FIELD_NAMES[field] ?? formatFieldName(field)) : `${formatFieldName(member)}, scraped`
}

const scrapedMember = (field: string): string | null =>
  field.startsWith('scrape_data.') ? field.slice('scrape_data.'.length) : null

const MAX_CHARACTERS = 120

/** Cuts a text where the page shows the full value elsewhere. */
export const cut = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text)

export const isEmpty = (value: unknown): boolean =>
  value == null || value === '' || (Array.isArray(value) && value.length === 0)

/** A former and a new value of a field. Of two lists, only the entries that differ. */
export const formatChange = (field: string, former: unknown, next: unknown): { former: string; next: string } => {
  const name = scrapedMember(field) ?? field
  const say = (value: unknown): string => {
    if (isEmpty(value)) return '(empty)'
    const isLong = Array.isArray(value) && value.length > 1 && value.some((entry) => typeof entry === 'object')
    return isLong ? `${value.length} entries` : formatValue(name, value)
  }
  const isList = Array.isArray(former) && Array.isArray(next)
  if (!isList || former.length === 0 || next.length === 0) return cutBoth(say(former), say(next))
  const [removed, added] = [without(former, next), without(next, former)]
  if (removed.length + added.length === 0) return cutBoth(say(former), 'the same in another order')
  return cutBoth(removed.length === 0 ? '(nothing)' : say(removed), added.length === 0 ? '(removed)' : say(added))
}

/** Characters that are shown before those that differ. */
const CONTEXT = 20

/** Cuts two texts where they would fill the page, and before where they differ if that would be cut off. */
const cutBoth = (former: string, next: string): { former: string; next: string } => {
  let same = 0
  while (same < former.length && former[same] === next[same]) same++
  if (same + CONTEXT <= MAX_CHARACTERS) return { former: cut(former), next: cut(next) }
  const cutOff = (text: string): string => `…${cut(text.slice(same - CONTEXT))}`
  return { former: cutOff(former), next: cutOff(next) }
}

const without = (list: unknown[], others: unknown[]): unknown[] => {
  const known = new Set(others.map((entry) => JSON.stringify(entry)))
  return list.filter((entry) => !known.has(JSON.stringify(entry)))
}
