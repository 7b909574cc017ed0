import { DASH, formatDate, formatDollars, formatFieldName, formatMoment, formatWords } from '../format'

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
    return DOLLARS.test(field) || DOLLARS_OF.test(field) ? formatDollars(value) : String(value)
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
