import { findOverlength, MAX_ACRES } from '../../../core/bounds'
import { parseJson } from '../rows/parse-json'
import { RowFault, ValueFault } from '../rows/source-row'
import type { Field } from './fields'

/**
 * Converts a file's value to the record's type; null when it is empty. `name` is the field's name for messages.
 *
 * @throws ValueFault if it is not of the field's type; RowFault for a text that is too long or not valid, and for an invalid id
 */
export const toFieldValue = (value: unknown, field: Field, name: string): unknown => {
  switch (field.type) {
    case 'id':
      return checkLength(toId(value, name), field.maxLength, name)
    case 'name':
      return checkLength(toText(value, name) ?? fault(`${name} is missing`), field.maxLength, name)
    case 'text':
      return checkLength(toText(value, name), field.maxLength, name)
    case 'money': {
      const amount = toNumber(value, name)
      if (amount === null) return null
      // + 0 turns minus zero into zero.
      const dollars = Math.round(amount) + 0
      return Number.isSafeInteger(dollars) ? dollars : unreadable(`${name} is ${show(value)}: too large`)
    }
    case 'area': {
      const area = toAcres(value, name)
      if (area === null || (area >= 0 && area <= MAX_ACRES)) return area
      return unreadable(`${name} is ${area}: it must be ${area < 0 ? '0 or more' : `at most ${MAX_ACRES} acres`}`)
    }
    // The meaning of the number depends on the coordinate system (read-parcels.ts).
    case 'degrees':
      return toNumber(value, name)
    case 'boolean':
      return toBoolean(value, name)
    case 'list':
      return toList(value, field, name)
  }
}

const checkLength = <Text extends string | null>(text: Text, most: number, name: string): Text => {
  const overlength = text === null ? null : findOverlength(text, most, name)
  return overlength === null ? text : fault(overlength)
}

const fault = (reason: string): never => {
  throw new RowFault(reason)
}

const unreadable = (reason: string): never => {
  throw new ValueFault(reason)
}

const show = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 80)

const toId = (value: unknown, name: string): string => {
  // JSON.parse returns the same number for two long numbers that differ only in their last digits, and Infinity for very long ones.
  if (
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    (Number.isInteger(value) || !Number.isFinite(value))
  ) {
    return fault(`${name} is the number ${value}, too long to be exact: it must be quoted in the file`)
  }
  const id = (typeof value === 'string' ? value : (toText(value, name) ?? '')).trim()
  if (id === '') return fault(`${name} is missing`)
  if (ROUNDED.test(id)) {
    return fault(
      `${name} is ${show(id)}: a spreadsheet rounded the id to a number. Export the file again with this column as text`,
    )
  }
  if (TOTALS.test(id)) return fault(`${name} is ${show(id)}: a line of totals is not a record`)
  if (NO_ID.test(id)) return fault(`${name} is ${show(id)}, which means that there is none`)
  if (!LETTER_OR_DIGIT.test(id)) return fault(`${name} is ${show(id)}: an id has a letter or a digit`)
  if (CONTROL.test(id)) return fault(`${name} ${show(id)} holds control characters`)
  return checkDecoded(id, name)
}

/** `1.23E+11`, as Excel writes numbers with 12 digits or more. */
const ROUNDED = /^\d(?:\.\d+)?E\+\d\d$/
/** `TOTAL`, `Grand Total:`, `Total records: 40`, below the rows of a report. */
const TOTALS = /^(?:(?:grand|report|county|sub)[\s-]*)?totals?(?:[\s:].*)?$/i
/** Words for "no value" of databases, and what spreadsheets show for a formula that failed. Such rows are often the shapes of roads and rivers. */
const NO_ID = /^(?:\(?null\)?|nan|#?n\/a|#(?:ref|value|name)[!?])$/i
/** Lines of hyphens separate the header from the rows in some reports. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match them.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
/**
 * Text that needs cleaning: control characters, blanks other than the space, runs of blanks, accents as characters of their own, unpaired
 * surrogates, and bytes that are invalid in the file's encoding.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex lint/suspicious/noMisleadingCharacterClass: the pattern is meant to match them.
const UNCLEAN = /[\u0000-\u001f\u007f-\u009f\u0300-\u036f\ud800-\udfff\ufffd]|[^\S ]| {2}/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match them.
const BLANKS = /[\s\u0000-\u001f\u007f-\u009f]+/g

/** Replaces control characters, line ends and runs of blanks by one blank. */
export const toOneLine = (text: string): string => text.replace(BLANKS, ' ').trim()

/**
 * Trims, and replaces control characters and runs of blanks by one blank; null when nothing is left. Programs write the same text with other
 * blanks and with composed or separate accents (NFC, NFD), which would count as a change.
 */
export const toText = (value: unknown, name: string): string | null => {
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return unreadable(`${name} is ${show(value)}: it must be text`)
  let text = typeof value === 'string' ? value : String(value)
  text = UNCLEAN.test(text) ? toOneLine(checkDecoded(text, name).normalize()) : text.trim()
  return text === '' ? null : text
}

const checkDecoded = (text: string, name: string): string =>
  text.isWellFormed() && !text.includes('\ufffd')
    ? text
    : fault(
        `${name} ${show(text)} has bytes that are not valid text: set --encoding to the file's encoding (for example windows-1252)`,
      )

/** `1234.5`, `1,234.50`, `$1,234.50`, `-5`, `(5)` (accounting notation for minus). */
const NUMBER =
  /^(?<before>[-+]?)(?:\$ *)?(?<after>[-+]?)(?<digits>(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d*)?(?:[eE][+-]?\d+)?)$/

/** @throws ValueFault naming the field and the value when it is not a number. */
export const toNumber = (value: unknown, name: string): number | null => {
  if (value === null || value === undefined) return null
  if (typeof value === 'number')
    return Number.isFinite(value) ? value : unreadable(`${name} is ${value}: it must be a number`)
  if (typeof value !== 'string') return unreadable(`${name} is ${show(value)}: it must be a number`)
  let text = value.trim()
  if (text === '') return null
  const isBracketed = text.startsWith('(') && text.endsWith(')')
  if (isBracketed) text = text.slice(1, -1).trim()
  const { before = '', after = '', digits = '' } = NUMBER.exec(text)?.groups ?? {}
  const number = before !== '' && after !== '' ? Number.NaN : Number.parseFloat(digits.replaceAll(',', ''))
  const sign = isBracketed !== (before === '-' || after === '-') ? -1 : 1
  return Number.isFinite(number) ? sign * number : unreadable(`${name} is ${show(value)}: it must be a number`)
}

const AREA_WITH_UNIT = /^(?<number>.*\d)\s*(?:(?:ac|acres?)|(?<feet>sf|sq\.? ?ft|square feet))\.?\s*$/i
const SQUARE_FEET_AN_ACRE = 43_560

/** A number without a unit, `0.35 AC` and `15,246 SF`. */
const toAcres = (value: unknown, name: string): number | null => {
  const { number, feet } = (typeof value === 'string' ? AREA_WITH_UNIT.exec(value)?.groups : undefined) ?? {}
  const area = toNumber(number ?? value, name)
  return area === null || feet === undefined ? area : area / SQUARE_FEET_AN_ACRE
}

const TRUE = new Set(['true', 't', 'yes', 'y', '1'])
const FALSE = new Set(['false', 'f', 'no', 'n', '0'])

const toBoolean = (value: unknown, name: string): boolean | null => {
  const text = toText(value, name)?.toLowerCase()
  if (text === undefined) return null
  if (TRUE.has(text)) return true
  return FALSE.has(text)
    ? false
    : unreadable(`${name} is ${show(value)}: it must be true or false (yes, no, y, n, 1, 0)`)
}

/** GeoPackage and FlatGeobuf have no lists, so programs write them as JSON. */
const toItems = (text: string): unknown[] => {
  if (text.startsWith('[') && text.endsWith(']')) {
    try {
      return parseJson(text) as unknown[]
    } catch {
      // It only begins and ends like JSON.
    }
  }
  return text.split(';')
}

/** A JSON array, as a value or as text, or texts separated by semicolons. */
const toList = (
  value: unknown,
  { maxLength, maxItems }: Extract<Field, { type: 'list' }>,
  name: string,
): string[] | null => {
  const items = Array.isArray(value) ? value : toItems(toText(value, name) ?? '')
  const texts = items.flatMap((item) => checkLength(toText(item, name), maxLength, name) ?? [])
  if (texts.length > maxItems) fault(`${name} has ${texts.length} names, more than ${maxItems}`)
  return texts.length === 0 ? null : texts
}
