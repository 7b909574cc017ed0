import type { RawDocument, ScrapedParcel } from '../../adapters/adapter'
import { parseHtml } from '../../adapters/reading/parse-html'
import { textOf } from '../../adapters/reading/text'
import { readDate, readEpochDate } from '../../adapters/reading/values'
import type { Case } from './case'

/** Fields about the scrape itself, not from a page. */
const OF_THE_SCRAPE = /^scrape\.(fetched_at|data_as_of_source|http_etag|http_last_modified)$|^fields\.geom\.type$/

/**
 * The paths of values that are not on the pages that they were read from. Blanks, case and punctuation may differ, money
 * may be rounded, dates may have another format, and the parts of an address may be apart. The case declares all other
 * derived values (`derived`).
 */
export const inventedValues = (
  result: ScrapedParcel,
  documents: readonly RawDocument[],
  derived: Case['derived'] = {},
): string[] => {
  const page = readAll(documents)
  return leavesOf(result).flatMap(([path, value]) => {
    if (OF_THE_SCRAPE.test(path)) return []
    const sources = derived[path]
    if (sources === undefined) return isOn(page, value) ? [] : [`${path}: ${JSON.stringify(value)}`]
    const absent = sources.filter((source) => !isOn(page, source))
    if (absent.length > 0) return [`${path}: ${JSON.stringify(absent)}, its source, is not on the page`]
    if (typeof value !== 'number' || sources.some((source) => typeof source !== 'number')) return []
    const total = sources.reduce<number>((sum, source) => sum + Number(source), 0)
    return Math.abs(total - value) < 1e-6 ? [] : [`${path}: ${value} is not ${sources.join(' + ')}`]
  })
}

interface PageValues {
  /** Letters and digits only, in lower case. */
  text: string
  numbers: ReadonlySet<number>
  dates: ReadonlySet<string>
}

const keyOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const NUMBER = /\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+/g
const DATE =
  /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\b\d{8}\b|\d{1,2}[\s/-][a-z]{3,9}[\s/-]\d{4}|[a-z]{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}/gi

const readAll = (documents: readonly RawDocument[]): PageValues => {
  const text = documents
    .map((document) => `${document.url} ${Object.values(document.headers).join(' ')} ${textIn(document)}`)
    .join('\n')
  const numbers = new Set<number>()
  const dates = new Set<string>()
  for (const [digits] of text.matchAll(NUMBER)) {
    const number = Number(digits.replaceAll(',', ''))
    numbers.add(number).add(Math.round(number))
    dates.add(readEpochDate(number) ?? '')
  }
  for (const [date] of text.replace(/\s+/g, ' ').matchAll(DATE)) dates.add(readDate(date) ?? '')
  return { text: keyOf(text), numbers, dates }
}

/** The visible text of a page and the values of its form fields; for JSON, all of it. */
const textIn = ({ body, name, headers }: RawDocument): string => {
  if (headers['content-type']?.includes('json')) return body.replace(/\\"/g, '"').replace(/\\\//g, '/')
  const fields = [...body.matchAll(/\b(?:value|href)="([^"]*)"/gi)].map(([, value]) => value)
  return `${textOf(parseHtml(body, name))} ${fields.join(' ')}`
}

const isOn = (page: PageValues, value: unknown): boolean => {
  if (typeof value === 'number') return page.numbers.has(Math.abs(value))
  if (typeof value !== 'string') return false
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return page.dates.has(value)
  if (page.text.includes(keyOf(value))) return true
  return (
    value.includes(', ') &&
    value.split(', ').every((part) => part.split(' ').every((word) => page.text.includes(keyOf(word))))
  )
}

const leavesOf = (value: unknown, path = ''): [path: string, value: unknown][] => {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, path === '' ? name : `${path}.${name}`))
}
