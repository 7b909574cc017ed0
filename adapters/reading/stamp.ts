import { SCRAPE_TEXT } from '../../core/bounds'
import type { RawDocument } from '../adapter'
import type { Scrape } from '../scrape'
import { present, readDate } from './values'

type AsOf = Pick<Scrape, 'data_as_of' | 'data_as_of_source'>

/** Scrape fields about the document itself: the time of the fetch, and the validators for a conditional request. */
export const stampOf = ({ fetchedAt, headers }: RawDocument) => ({
  fetched_at: fetchedAt,
  ...present<Pick<Scrape, 'http_etag' | 'http_last_modified'>>({
    http_etag: validator(headers.etag, SCRAPE_TEXT.http_etag),
    http_last_modified: validator(headers['last-modified'], SCRAPE_TEXT.others),
  }),
})

/** One that is too long to be stored says nothing about the page. The next request is then unconditional. */
const validator = (header: string | undefined, most: number): string | undefined =>
  header !== undefined && header !== '' && header.length <= most ? header : undefined

/**
 * How current the portal's data is, from the best evidence available: the portal's own date or footer, a layer's metadata, or a
 * header with a date; then the latest tax year shown; then `Last-Modified`. Nothing when none of these exists: the
 * date of the fetch says nothing about the data.
 */
export const asOf = (
  { headers }: Pick<RawDocument, 'headers'>,
  hints: {
    marker?: string | undefined
    footer?: string | undefined
    layer?: string | undefined
    header?: string | undefined
    years?: readonly (number | undefined)[]
  },
): AsOf => {
  if (hints.marker !== undefined) return { data_as_of: hints.marker, data_as_of_source: 'page-marker' }
  if (hints.footer !== undefined) return { data_as_of: hints.footer, data_as_of_source: 'page-footer' }
  if (hints.layer !== undefined) return { data_as_of: hints.layer, data_as_of_source: 'feature-server' }
  if (hints.header !== undefined) return { data_as_of: hints.header, data_as_of_source: 'header' }
  const latest = Math.max(...(hints.years ?? []).filter((year) => year !== undefined))
  if (Number.isFinite(latest)) return { data_as_of: String(latest), data_as_of_source: 'latest-tax-year' }
  const modified = readDate(headers['last-modified'])
  return modified === undefined ? {} : { data_as_of: modified, data_as_of_source: 'header' }
}
