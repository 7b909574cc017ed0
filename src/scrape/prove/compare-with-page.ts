import type { PageLabel } from '../../../adapters/reading/labels'
import { readDate } from '../../../adapters/reading/values'
import { scrape as scrapeSchema } from '../../../adapters/scrape'
import { parcelFields } from '../../../core/parcels/fields'
import type { SettledScrape } from '../fetch/settle-scrape'
import type { Trial } from './try-parcel'

/** One value of a scrape: `owner_name`, `scrape_data.sale_history[0].price`. */
export interface ReadValue {
  field: string
  value: string | number | boolean
}

/** A label of the page, and the fields that have the value next to it. */
export interface ComparedLabel extends PageLabel {
  fields: string[]
}

/** A trial for a person who compares it with the portal. */
export interface Comparison {
  /** A hash of the result; null if nothing was read. */
  reading: string | null
  failure: { code: string; message: string } | null
  values: ReadValue[]
  labels: ComparedLabel[]
  /** Labels and headings on the page that no field was read from. */
  unread: string[]
  warnings: string[]
  /** Fields that the page does not show. */
  absent: string[]
  answers: { name: string; url: string; status: number; sizeBytes: number }[]
}

export const compareWithPage = ({ answers, outcome }: Trial): Comparison => {
  const documents = answers.map(({ name, url, status, body }) => ({
    name,
    url,
    status,
    sizeBytes: Buffer.byteLength(body),
  }))
  const nothing = { values: [], labels: [], unread: [], warnings: [], absent: [] }
  if ('failure' in outcome) {
    const { code, message } = outcome.failure
    return { reading: null, failure: { code, message }, ...nothing, answers: documents }
  }
  const { read } = outcome
  const values = listValues(read)
  const { labels = [], unread = [], warnings = [] } = read.report ?? {}
  const shown = labels.map((label) => {
    const isShown = matcherOf(label.value)
    return { ...label, fields: values.flatMap(({ field, value }) => (isShown(value) ? field : [])) }
  })
  return {
    reading: hashReading(read),
    failure: null,
    values,
    unread,
    warnings,
    absent: listAbsent(read),
    labels: shown,
    answers: documents,
  }
}

/** The result, without the parts that differ from request to request. */
export const comparable = ({
  fields,
  scrape,
}: Pick<SettledScrape, 'fields' | 'scrape'>): { fields: object; scrape: object } => {
  const { fetched_at: _, http_etag: __, http_last_modified: ___, ...kept } = scrape
  if (kept.data_as_of_source === 'header' || kept.data_as_of_source === 'etag') delete kept.data_as_of
  return JSON.parse(JSON.stringify({ fields, scrape: kept }))
}

const hashReading = (read: SettledScrape): string =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(comparable(read))).digest('hex')

const NAME_OF = new Map<string, string>(parcelFields.map(({ key, name }) => [key, name]))
/** Fields that the service adds itself. */
const NOT_OF_A_PAGE = [
  'fetched_at',
  'http_etag',
  'http_last_modified',
  'sale_history_observed_at',
  'review_findings',
  'data_as_of_source',
]

const listValues = (read: SettledScrape): ReadValue[] => {
  const { fields, scrape } = comparable(read) as { fields: Record<string, unknown>; scrape: Record<string, unknown> }
  const { geom, ...texts } = fields
  const own = Object.entries(texts).flatMap(([key, value]) => leavesOf(value, NAME_OF.get(key) ?? key))
  const boundary = geom === undefined ? [] : [{ field: 'geom', value: 'a boundary' }]
  const others = Object.entries(scrape)
    .filter(([name]) => !NOT_OF_A_PAGE.includes(name))
    .flatMap(([name, value]) => leavesOf(value, `scrape_data.${name}`))
  return [...own, ...boundary, ...others]
}

const leavesOf = (value: unknown, path: string): ReadValue[] => {
  if (Array.isArray(value)) {
    if (value.length === 0) return [{ field: path, value: 'none' }]
    return value.flatMap((part, index) => leavesOf(part, `${path}[${index}]`))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, part]) => leavesOf(part, `${path}.${name}`))
  }
  return value === null ? [] : [{ field: path, value: value as ReadValue['value'] }]
}

const listAbsent = ({ fields, scrape }: SettledScrape): string[] => [
  ...parcelFields.flatMap(({ key, name }) => (key in fields ? [] : name)),
  ...Object.keys(scrapeSchema.properties).flatMap((name) =>
    name in scrape || NOT_OF_A_PAGE.includes(name) ? [] : `scrape_data.${name}`,
  ),
]

const keyOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const NUMBER = /\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+/g
/** Shorter texts occur in others by chance. */
const MIN_PART = 4

/** Whether a value may be the text, or a part of it. */
const matcherOf = (shown: string) => {
  const key = keyOf(shown)
  const numbers = new Set([...shown.matchAll(NUMBER)].map(([digits]) => Number(digits.replaceAll(',', ''))))
  const date = readDate(shown)
  return (value: ReadValue['value']): boolean => {
    if (typeof value === 'number') return numbers.has(Math.abs(value))
    if (typeof value === 'boolean') return false
    const own = keyOf(value)
    return (date !== undefined && date === value) || own === key || (own.length >= MIN_PART && key.includes(own))
  }
}
