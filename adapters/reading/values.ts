import { MAX_ACRES } from '../../core/bounds'
import { collapse } from './text'

/*
 * Portal text to values. Undefined: the text is empty, or cannot be read without guessing ("N/A", a two-digit
 * year, a month above 12).
 */

/** Words that portals use for "no value", empty dates among them. `Â` is the remainder of a blank that was decoded in the wrong charset. */
const NOTHING =
  /^(?:n\/?a|none|null|unknown|not available|no data|[-\u2013\u2014./\s\u00c2]*|0{1,4}([/-])0{1,4}(?:\1(?:0{4}|0{1,2}))?)$/i
const ZERO = /^0*(?:\.0*)?$/
/** The character that a decoder writes for bytes that it cannot read. */
const UNREADABLE = '\ufffd'

/** Whether the text is empty, or means "no value". */
export const isNoValue = (text: string): boolean => NOTHING.test(collapse(text))

/** What pages show until a value has arrived: `Loading...`, `Please wait`. Names may begin like it. */
const PLACEHOLDER =
  /^(?:loading|(?:(?:still |now )?(?:loading|fetching|retrieving|searching|processing)\b[\w ,]{0,40}|please wait\b[\w ,]{0,40}|(?:just a|one) moment(?:,? please)?)(?:\.{2,}|\u2026)|(?:please|kindly) wait[.!]?(?: loading[.!]?)?)$/i

/** Whether the text is a placeholder: the value is not known yet. It does not mean that there is none. */
export const isPlaceholder = (text: string): boolean => PLACEHOLDER.test(collapse(text))

/** Blanks collapsed. Undefined for text that means "no value", for placeholders, and for text that was not decoded. */
export const readText = (text: string | undefined): string | undefined => {
  const value = collapse(text ?? '')
  return NOTHING.test(value) || value.includes(UNREADABLE) || isPlaceholder(value) ? undefined : value
}

/** The number of a document, a book or a page. `0` means that there is none. */
export const readRecordingNumber = (text: string | undefined): string | undefined => {
  const value = readText(text)
  return value === undefined || ZERO.test(value) ? undefined : value
}

/** Whether the text is empty or a filler: `N/A`, `--`, `0`, `$0.00`, `0/0`, `00/00/00`. */
export const isFiller = (text: string): boolean => isNoValue(text) || ZERO.test(collapse(text).replace(/^\$\s*/, ''))

/** `1,234.5`, `-5`, `(5)` (accounting notation for minus), `+5`. No units. */
export const readNumber = (text: string | undefined): number | undefined => {
  const match =
    /^(?<open>\()?\s*(?<sign>[-+\u2212])?\s*(?<digits>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)\s*(?<close>\))?$/.exec(
      collapse(text ?? ''),
    )?.groups
  if (match === undefined || (match.open === undefined) !== (match.close === undefined)) return undefined
  const size = Number.parseFloat((match.digits as string).replaceAll(',', ''))
  const isNegative = match.open !== undefined || match.sign === '-' || match.sign === '\u2212'
  if (!Number.isFinite(size)) return undefined
  return isNegative && size !== 0 ? -size : size
}

/** A number of rooms. */
export const readCount = (text: string | undefined): number | undefined => {
  const count = readNumber(text)
  return count === undefined || count < 0 ? undefined : count
}

/** `$1,234.56`, `$ (1,200)`, `-$5`: whole dollars. */
export const readMoney = (text: string | undefined): number | undefined => {
  const amount = readAmount(text)
  return amount === undefined ? undefined : toDollars(amount)
}

/** The sum of several amounts, added before cents are rounded. Undefined when there are none, or one cannot be read. */
export const readMoneyTotal = (texts: readonly (string | undefined)[]): number | undefined => {
  const amounts = texts.map(readAmount)
  if (amounts.length === 0 || !amounts.every((amount) => amount !== undefined)) return undefined
  return toDollars(Number(amounts.reduce((total, amount) => total + amount, 0).toFixed(2)))
}

const readAmount = (text: string | undefined): number | undefined =>
  readNumber(collapse(text ?? '').replace(/^([-+\u2212(]*\s*)\$\s*/, '$1'))

const toDollars = (amount: number): number | undefined => {
  const dollars = Math.sign(amount) * Math.round(Math.abs(amount)) + 0
  return Number.isSafeInteger(dollars) ? dollars : undefined
}

/** `0.09 Acre(s)`, `12.5 ac`, `12.5`. Other units are refused. */
export const readAcres = (text: string | undefined): number | undefined => {
  const acres = readNumber(collapse(text ?? '').replace(/\s*(?:acre(?:s|\(s\))?|ac)\.?$/i, ''))
  return acres === undefined || acres < 0 || acres > MAX_ACRES ? undefined : acres
}

/** `1,840`, `1,840 sq. ft.`, `1840 SF`. */
export const readSquareFeet = (text: string | undefined): number | undefined => {
  const area = readNumber(collapse(text ?? '').replace(/\s*(?:sq(?:uare)?\.?\s*(?:ft|feet|foot)|sqft|s\.?f)\.?$/i, ''))
  return area === undefined || area < 0 ? undefined : area
}

/** `100.0000000000%`, `50 %`, `33.3`. From 0 to 100. */
export const readPercent = (text: string | undefined): number | undefined => {
  const percent = readNumber(collapse(text ?? '').replace(/\s*%$/, ''))
  return percent === undefined || percent < 0 || percent > 100 ? undefined : percent
}

/** Four digits and nothing else, 1600 to 2200. */
export const readYear = (text: string | undefined): number | undefined => {
  const value = collapse(text ?? '')
  return /^\d{4}$/.test(value) && Number(value) >= 1600 && Number(value) <= 2200 ? Number(value) : undefined
}

/** The one four-digit year in a heading: `2025 Working Values`, `Tax Year 2025`. Undefined when there is none, or several. */
export const readYearIn = (text: string | undefined): number | undefined => {
  const years = new Set((text ?? '').match(/(?<![\d,.$])\d{4}(?![\d,]|\.\d)/g))
  return years.size === 1 ? readYear([...years][0]) : undefined
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const DATE_FORMS: readonly RegExp[] = [
  /^(?<year>\d{4})(?<separator>[-/])(?<month>\d{1,2})\k<separator>(?<day>\d{1,2})(?:$|[T\s])/,
  /^(?<month>\d{1,2})[/.-](?<day>\d{1,2})[/.-](?<year>\d{4})(?:$|\s)/,
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  /^(?:[a-z]{3,9},\s*)?(?<name>[a-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})(?:$|[\s,])/i,
  /^(?:[a-z]{3},\s*)?(?<day>\d{1,2})[\s/-](?<name>[a-z]{3,9})[\s/-](?<year>\d{4})(?:$|\s)/i,
]
/** Dates whose year has two digits. */
const SHORT_DATE_FORMS: readonly RegExp[] = [
  /^(?<month>\d{1,2})[/.-](?<day>\d{1,2})[/.-](?<year>\d{2})(?:$|\s)/,
  /^(?<day>\d{1,2})[\s/-](?<name>[a-z]{3,9})[\s/-](?<year>\d{2})(?:$|\s)/i,
]

/**
 * `YYYY-MM-DD` from the formats of American portals: `11/6/2019 1:25 AM`, `Nov  6 2019`, `November 6, 2019`, `08/May/2023`,
 * `06-NOV-2019`, `20191106`, `2019/11/06`, `2019-11-06T00:00:00`. Month before day. A two-digit year is undefined: see `readDateBefore`.
 */
export const readDate = (text: string | undefined): string | undefined => {
  const found = matchDate(text, DATE_FORMS)
  return found && toDate(found.year, found.month, found.day)
}

/**
 * As `readDate`, and also `02/07/17` and `06-NOV-25`: the last such date that is not after `latest`. For past events (sales, payments),
 * `latest` is the time of the fetch: `02/07/27` on a page of 2026 is 1927. For due dates, it is a year later.
 */
export const readDateBefore = (text: string | undefined, latest: string): string | undefined => {
  const found = matchDate(text, SHORT_DATE_FORMS)
  if (found === undefined) return readDate(text)
  const limit = latest.slice(0, 10)
  const century = Number(limit.slice(0, 2)) * 100
  return [century, century - 100, century - 200]
    .map((start) => toDate(start + found.year, found.month, found.day))
    .find((date) => date !== undefined && date <= limit)
}

const matchDate = (text: string | undefined, forms: readonly RegExp[]) => {
  const value = collapse(text ?? '')
  for (const form of forms) {
    const match = form.exec(value)?.groups
    if (match === undefined) continue
    const month = match.name === undefined ? Number(match.month) : monthNamed(match.name)
    return { year: Number(match.year), month, day: Number(match.day) }
  }
  return undefined
}

/** The last of several dates. Undefined when there are none, or one cannot be read: it may be the last. */
export const readLastDate = (
  texts: readonly (string | undefined)[],
  read: (text: string | undefined) => string | undefined = readDate,
): string | undefined => {
  const dates = texts.map(read)
  return dates.every((date) => date !== undefined) ? dates.toSorted().at(-1) : undefined
}

/** Some layers store seconds, and 0 where there is no date. As milliseconds, both are days of January 1970. */
const LATEST_IN_SECONDS = Date.UTC(2040, 0) / 1000

/** The date of milliseconds since 1970, UTC, as Esri and others write dates. */
export const readEpochDate = (ms: unknown): string | undefined => {
  if (typeof ms !== 'number' || !Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return undefined
  if (ms >= 0 && ms < LATEST_IN_SECONDS) return undefined
  const date = new Date(ms)
  return toDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
}

const monthNamed = (name: string): number => {
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
  const full = new Date(Date.UTC(2000, month - 1)).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' })
  return month > 0 && `${full} sept`.toLowerCase().includes(name.toLowerCase()) ? month : 0
}

const toDate = (year: number, month: number, day: number): string | undefined => {
  const isReal =
    year >= 1600 && year <= 2200 && month >= 1 && new Date(Date.UTC(year, month - 1, day)).getUTCMonth() === month - 1
  return isReal && day >= 1 ? `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}` : undefined
}

/** A printed name without the separators (`&`, comma, semicolon) at either end. */
export const readName = (text: string | undefined): string | undefined =>
  readText(collapse(text ?? '').replace(/^[\s&,;]+|[\s&,;]+$/g, ''))

/** The names in order. Empty if the first is blank and another is not, because the other would be taken for the first owner. */
export const readNames = (texts: readonly string[]): string[] => {
  const names = texts.map(readName)
  return names[0] === undefined ? [] : names.filter((name) => name !== undefined)
}

/** The lines of an address as one text. */
export const readAddress = (lines: readonly string[]): string | undefined =>
  readText(lines.map((line) => line.replace(/[\s,]+$/, '')).join(', '))

const IN_CARE = /^(?:c\s*\/\s*o\b|%|attn\b|attention\b|in care of\b)/i

/**
 * The address in the lines below an owner's name. Undefined when the first line may be another owner: there are more than a street and a
 * city, and it neither begins like an address nor names a person in care.
 */
export const readAddressBelow = (lines: readonly string[]): string | undefined => {
  const [first = ''] = lines
  return lines.length <= 2 || isLikeAddress(first) || IN_CARE.test(first) ? readAddress(lines) : undefined
}

/** Whether the text begins like a street address: `118 QUILL LN`, `12-A ELM ST`, `PO BOX 7`. Company names may do so, too. */
export const isLikeAddress = (text: string): boolean =>
  /^(?:\d+(?:[-/]\d+|-?[a-z])?\s+[a-z\d]|p\.?\s*o\.?\s*box\b)/i.test(collapse(text))

/** The last line of an address: `LARKSPUR, OR 97601-1234`, `LARKSPUR OR 97601`, `LARKSPUR, OR`. Missing parts are undefined. */
export const readCityStateZip = (
  line: string | undefined,
): { city: string | undefined; state: string | undefined; zip: string | undefined } => {
  const match = /^(?<city>[^\d,][^,]*?)?[,\s]+(?<state>[A-Z]{2})(?:[,\s]+(?<zip>\d{5}(?:-\d{4})?))?$/.exec(
    collapse(line ?? ''),
  )
  const { city, state, zip } = match?.groups ?? {}
  return { city: readText(city), state, zip }
}

/** A ZIP code. Columns of numbers lose the zeros at its beginning (`2139`), and have 0 where there is none. */
export const readZip = (text: string | undefined): string | undefined => {
  const zip = readRecordingNumber(text)
  return zip !== undefined && /^\d{3,4}$/.test(zip) ? zip.padStart(5, '0') : zip
}

/** Drops undefined fields: in a Scrape, a field that the portal does not show is absent. */
export const present = <Fields extends object>(
  fields: {
    [Name in keyof Fields]: Fields[Name] | undefined
  },
): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>
