import { HttpError } from './errors'

/**
 * Refuses a URL with percent-escapes that the router or PostgreSQL would change or reject.
 *
 * @throws HttpError 400
 */
export const refuseBrokenAddress = (url: string): void => {
  if (!url.includes('%')) return
  const start = url.indexOf('?')
  const path = start === -1 ? url : url.slice(0, start)
  // PostgreSQL rejects NUL in text. (For a NUL in the path, the schema of the path parameter reports it.)
  if (start !== -1 && url.includes('%00', start)) throw new HttpError(400, 'the query contains a NUL character (%00)')
  // The router replaces invalid UTF-8 with U+FFFD, so one parcel could be mistaken for another, and a search would find nothing.
  if (!isDecodable(path)) throw new HttpError(400, 'the path contains a percent-escape that is not UTF-8')
  // A `%` that does not start an escape is kept as it is: people type "100%".
  if (start !== -1 && url.slice(start).match(ESCAPES)?.every(isDecodable) === false)
    throw new HttpError(400, 'the query contains a percent-escape that is not UTF-8')
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
