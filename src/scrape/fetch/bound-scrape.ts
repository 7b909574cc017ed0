import type { CrawlReject, ParcelFields, ScrapedParcel } from '../../../adapters/adapter'
import type { Scrape } from '../../../adapters/scrape'
import { ScrapeError } from '../../../adapters/scrape-error'
import { cutText, findOverlength, SCRAPE_LIST, SCRAPE_TEXT, toMessage } from '../../../core/bounds'
import { PARCEL_TEXT, parcelFields } from '../../../core/parcels/fields'

/**
 * Checks a scrape against the table of bounds. One text or list that is too long fails the whole scrape, and the stored parcel stays
 * as it is. Nothing is cut: half a name is another name, and a page with a text of that size is not the page that the adapter was
 * written for. Control characters become spaces and unpaired surrogates U+FFFD, because PostgreSQL refuses them.
 *
 * @throws ScrapeError `page_changed`, naming the field, its length and its limit
 */
export const boundScrape = ({ fields, scrape, ...page }: ScrapedParcel): ScrapedParcel => ({
  ...page,
  fields: boundFields(fields),
  scrape: boundScrapeData(scrape),
})

/** Refuses an id with control characters instead of cleaning it: a changed id is another parcel. @throws ScrapeError `page_changed` */
export const checkSourceParcelId = (sourceParcelId: string): void => {
  const isClean = bounded(sourceParcelId, PARCEL_TEXT.source_parcel_id, 'source_parcel_id') === sourceParcelId
  if (!isClean) refuse(`source_parcel_id ${JSON.stringify(sourceParcelId)} holds control characters`)
}

/** Also checks lists that were combined from several pages of a crawl. @throws ScrapeError `page_changed` */
export const boundScrapeData = (scrape: Scrape): Scrape => {
  for (const [name, value] of Object.entries(scrape)) if (Array.isArray(value)) checkList(value, name)
  return boundTexts(scrape, 'scrape_data') as Scrape
}

/** A reject is a message that quotes the portal, so its texts are cut, and without characters that PostgreSQL refuses. */
export const boundReject = ({ what, reason, sourceParcelId }: CrawlReject): CrawlReject => ({
  what: cutText(toMessage(what), PARCEL_TEXT.source_parcel_id),
  reason: toMessage(reason),
  ...(sourceParcelId === undefined ? {} : { sourceParcelId: toMessage(sourceParcelId) }),
})

const boundFields = (fields: ParcelFields): ParcelFields => {
  const kept: Record<string, unknown> = { ...fields }
  for (const field of parcelFields) {
    const { name, key } = field
    const value = fields[key]
    if (value === undefined) continue
    if (field.type === 'text') {
      const text = bounded(value as string, field.maxLength, name)
      if (text === '') delete kept[key]
      else kept[key] = text
    } else if (field.type === 'list') {
      const texts = value as string[]
      const { maxItems, maxLength } = field
      if (texts.length > maxItems) refuse(`${name} has ${texts.length} names, more than ${maxItems}`)
      kept[key] = texts.map((text) => bounded(text, maxLength, name)).filter((text) => text !== '')
    }
  }
  return kept
}

const checkList = (list: readonly unknown[], name: string): void => {
  const { entries, bytes } = SCRAPE_LIST
  if (list.length > entries) refuse(`${name} has ${list.length} entries, more than ${entries}`)
  const size = Buffer.byteLength(JSON.stringify(list))
  if (size > bytes) refuse(`${name} has ${size} bytes, more than ${bytes}`)
}

/** Checks and cleans every text in `value`. `name` is the name of its field. */
const boundTexts = (value: unknown, name: string): unknown => {
  if (typeof value === 'string') {
    const most = Object.hasOwn(SCRAPE_TEXT, name) ? SCRAPE_TEXT[name as keyof typeof SCRAPE_TEXT] : SCRAPE_TEXT.others
    return bounded(value, most, name)
  }
  if (Array.isArray(value)) return value.map((entry) => boundTexts(entry, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, boundTexts(entry, key)]))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match them.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g

const bounded = (text: string, most: number, name: string): string => {
  const clean = text.isWellFormed() ? text : text.toWellFormed()
  const overlength = findOverlength(clean, most, name)
  if (overlength !== null) refuse(overlength)
  return clean.search(CONTROL) === -1 ? clean : clean.replace(CONTROL, ' ').trim()
}

const refuse = (reason: string): never => {
  throw new ScrapeError('page_changed', reason)
}
