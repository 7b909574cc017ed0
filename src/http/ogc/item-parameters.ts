import type { Cql2 } from '../../../core/cql2/cql2'
import { isValue } from '../../../core/cql2/is-value'
import { parseCql2 } from '../../../core/cql2/parse-cql2'
import { type Bbox, splitAtAntimeridian } from '../../../core/geometry/bbox'
import { PARCEL_QUERYABLES } from '../../../core/parcels/queryables'
import { readTime } from '../../../core/text/read-time'
import { isUuid } from '../../../core/text/uuid'
import { HttpError } from '../convention/errors'
import { parseBbox } from '../convention/parameters/parse-bbox'
import { CRS84 } from './collections'

/* The query parameters that select features (OGC 17-069r4, 7.15; filters: OGC 19-079r2). */

export const DEFAULT_LIMIT = 1_000
export const MAX_LIMIT = 5_000

export const ITEM_PARAMETERS = [
  'bbox',
  'bbox-crs',
  'datetime',
  'limit',
  'after',
  'crs',
  'filter',
  'filter-lang',
  'filter-crs',
  ...Object.keys(PARCEL_QUERYABLES),
]

/** `cql-text` is the name in drafts, which GDAL sends. */
export const FILTER_LANGUAGES = ['cql2-text', 'cql-text']

/** Which features of a collection a request selects. */
export interface Selection {
  filter: { boxes: Bbox[]; condition: Cql2 | null; asOf: string | null }
  isUnfiltered: boolean
  after: string | null
  limit: number
}

/** @throws HttpError, ServiceError 400 */
export const readSelection = (query: ReadonlyMap<string, string>): Selection => {
  for (const name of ['crs', 'bbox-crs', 'filter-crs']) checkCrs(query, name)
  const language = query.get('filter-lang') ?? 'cql2-text'
  if (!FILTER_LANGUAGES.includes(language))
    throw new HttpError(400, `filter-lang must be one of ${FILTER_LANGUAGES.join(', ')}`)
  const bbox = query.get('bbox')
  const datetime = query.get('datetime')
  const condition = readCondition(query)
  const asOf = datetime === undefined ? null : readDatetime(datetime)
  const after = query.get('after') ?? null
  if (after !== null && !isUuid(after)) throw new HttpError(400, 'after must be copied from a `next` link')
  return {
    filter: { boxes: bbox === undefined ? [] : splitAtAntimeridian(readBbox(bbox)), condition, asOf },
    isUnfiltered: bbox === undefined && condition === null && asOf === null,
    after,
    limit: readLimit(query.get('limit')),
  }
}

/** @throws HttpError 400 for any system but CRS84 */
export const checkCrs = (query: ReadonlyMap<string, string>, name: string): void => {
  if ((query.get(name) ?? CRS84) !== CRS84) throw new HttpError(400, `${name} must be ${CRS84}`)
}

/** A limit above the maximum is not an error (OGC 17-069r4, 7.15.3). */
const readLimit = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_LIMIT
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new HttpError(400, 'limit must be a whole number, 1 or more')
  return Number(text)
}

/** Heights, the third and the sixth of six numbers, are ignored. */
const readBbox = (text: string): Bbox => {
  const numbers = text.split(',')
  return parseBbox((numbers.length === 6 ? numbers.filter((_, index) => index % 3 !== 2) : numbers).join(','))
}

const DATETIME = 'datetime must be a date or a time (RFC 3339), or an interval of two: a/b, a/.. or ../b'

/** The time of the requested record: the end of an interval, or the time itself. Null: now. */
const readDatetime = (text: string): string | null => {
  const ends = text.split('/').map((end) => (end === '..' || end === '' ? null : readEnd(end)))
  const [first = null, last = null] = ends
  if (ends.length > 2 || text === '') throw new HttpError(400, DATETIME)
  if (ends.length === 1) {
    if (first === null) throw new HttpError(400, DATETIME)
    return first
  }
  if (first !== null && last !== null && first > last)
    throw new HttpError(400, 'datetime: the interval ends before it begins')
  return last
}

const readEnd = (text: string): string => {
  const time = readTime(text)
  if (time === null) throw new HttpError(400, DATETIME)
  return time
}

/** The filter, and the parameters that are names of properties. */
const readCondition = (query: ReadonlyMap<string, string>): Cql2 | null => {
  const filter = query.get('filter')
  const parts = [...query]
    .filter(([name]) => Object.hasOwn(PARCEL_QUERYABLES, name))
    .map(([name, value]) => isValue(name, value, PARCEL_QUERYABLES))
  if (filter !== undefined) parts.push(parseCql2(filter, PARCEL_QUERYABLES))
  const [only] = parts
  return parts.length > 1 ? { kind: 'and', parts } : (only ?? null)
}
