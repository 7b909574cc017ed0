import type { Bbox } from '../../../core/geometry/bbox'
import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db } from '../../../core/postgres/database'
import type { StateSet } from '../../../core/state-set'
import { nameKeys } from '../parcels/name-keys'
import { meetsBbox, parcelFilter } from '../parcels/parcel-filter'
import { inStates } from './in-states'
import { type EntitySearchRow, entityColumns, type ParcelSearchRow, parcelColumns } from './search-documents'

/** Columns that can be searched by trigrams. Each has a trigram index. */
export type ParcelTextColumn = 'owner_name' | 'situs_address'
export type EntityTextColumn = 'name' | 'registered_agent_name'

/**
 * How text is compared: `similar` uses the trigrams of both texts, `contains` uses the most similar part of the column, and `begins`
 * uses the first letters of the column. Only `begins` works for two letters.
 */
export type TrigramMatch = 'similar' | 'contains' | 'begins'

/** A filter, and the states that PostgreSQL answers in place of Meilisearch instances. Null or absent: all. */
export type PartialFilter = ParcelFilter & { within?: StateSet | null }

/** SQL that begins with `and` or is empty, for `parcels p`. A set of states becomes a list of sources, as in `parcelFilter`. */
const partialFilter = (db: Db, { within = null, ...filter }: PartialFilter) => db`
  ${parcelFilter(db, filter)}
  ${
    within === null
      ? db``
      : db`and p.source = any(array(select part.source from sources part where ${inStates(db, db`part.state`, within)}))`
  }`

const matches = (db: Db, column: string, match: TrigramMatch, text: string) => {
  if (match === 'similar') return db`${db(column)} % ${text}`
  if (match === 'contains') return db`${text} <% ${db(column)}`
  return db`${db(column)} ilike ${`${text.replaceAll(/[\\%_]/g, '\\$&')}%`}`
}

const likeness = (db: Db, column: string, match: TrigramMatch, text: string) =>
  match === 'contains' ? db`word_similarity(${text}, ${db(column)})` : db`similarity(${db(column)}, ${text})`

/** The parcels most similar to `text` in the box `near`, from one trigram index. Set a statement timeout: a common text has very many matches. */
export const listParcelsByTrigram = async (
  db: Db,
  column: ParcelTextColumn,
  match: TrigramMatch,
  text: string,
  filter: PartialFilter,
  near: Bbox | null,
  limit: number,
): Promise<ParcelSearchRow[]> => db<ParcelSearchRow[]>`
  with best as materialized (
    select p.id from parcels p join sources s using (source)
    where ${matches(db, column, match, text)} ${partialFilter(db, filter)} ${near === null ? db`` : db`and ${meetsBbox(db, near)}`}
    ${match === 'begins' ? db`` : db`order by ${likeness(db, column, match, text)} desc, p.id`}
    limit ${limit}
  )
  select ${parcelColumns(db)} from best join parcels p using (id) join sources s using (source)
`

/** The parcels with an account whose owner is similar to `text`, the most similar ones first. */
export const listParcelsByAccountOwner = async (
  db: Db,
  text: string,
  filter: PartialFilter,
  limit: number,
): Promise<ParcelSearchRow[]> => db<ParcelSearchRow[]>`
  with best as materialized (
    select p.id from parcels p join sources s using (source)
    where p.accounts is not null and ${text} <% account_owners(p.accounts) ${partialFilter(db, filter)}
    order by word_similarity(${text}, account_owners(p.accounts)) desc, p.id
    limit ${limit}
  )
  select ${parcelColumns(db)} from best join parcels p using (id) join sources s using (source)
`

/** A word in each of its spellings, in lower case: "road" and "rd". */
export interface SearchedWord {
  spellings: readonly string[]
  /** Expect it in the owner or address, so that the trigram indexes find it. The city has none. */
  isIndexed: boolean
}

/** The trigram indexes find no word with a shorter spelling. */
export const MIN_INDEXED_LETTERS = 3

/**
 * The parcels where each word begins a word of the owner, address or city, in any of them. At least one word must be indexed. Unordered,
 * because a common street has very many.
 */
export const listParcelsByWords = (
  db: Db,
  words: readonly SearchedWord[],
  filter: PartialFilter,
  limit: number,
): Promise<ParcelSearchRow[]> => {
  const begins = (column: string, { spellings }: SearchedWord) =>
    db`p.${db(column)} ~* ${`\\m(${spellings.join('|')})`}`
  const conditions = words.map((word) => {
    const inText = db`${begins('owner_name', word)} or ${begins('situs_address', word)}`
    return word.isIndexed ? db`(${inText})` : db`(${inText} or ${begins('situs_city', word)})`
  })
  return db<ParcelSearchRow[]>`
    select ${parcelColumns(db)} from parcels p join sources s using (source)
    where ${conditions.reduce((left, right) => db`${left} and ${right}`)} ${partialFilter(db, filter)}
    limit ${limit}
  `
}

/** The entities most similar to `text`, from one trigram index. */
export const listEntitiesByTrigram = async (
  db: Db,
  column: EntityTextColumn,
  match: TrigramMatch,
  text: string,
  { state, within = null }: Pick<PartialFilter, 'state' | 'within'>,
  limit: number,
): Promise<EntitySearchRow[]> => db<EntitySearchRow[]>`
  select ${entityColumns(db)} from entities e
  where ${matches(db, column, match, text)} ${state === null ? db`` : db`and e.jurisdiction = ${state}`}
    ${within === null ? db`` : db`and ${inStates(db, db`e.jurisdiction`, within)}`}
  ${match === 'begins' ? db`` : db`order by ${likeness(db, column, match, text)} desc, e.id`}
  limit ${limit}
`

/** The parcels whose id, in lower case without punctuation, is one of `keys`. */
export const listParcelsByKey = async (
  db: Db,
  keys: readonly string[],
  filter: PartialFilter,
  limit: number,
): Promise<ParcelSearchRow[]> => db<ParcelSearchRow[]>`
  select ${parcelColumns(db)} from parcels p join sources s using (source)
  where parcel_key(p.source_parcel_id) = any(${[...keys]}::text[]) ${partialFilter(db, filter)}
  order by p.source collate "C", p.source_parcel_id collate "C" limit ${limit}
`

/** The last character of Unicode: sorts after any other. */
const LAST_CHARACTER = '\u{10FFFF}'

/** The parcels whose id begins with `start`, both in lower case without punctuation, in the order of their ids. */
export const listParcelsByIdStart = async (
  db: Db,
  start: string,
  filter: PartialFilter,
  limit: number,
): Promise<ParcelSearchRow[]> => db<ParcelSearchRow[]>`
  select ${parcelColumns(db)} from parcels p join sources s using (source)
  where parcel_key(p.source_parcel_id) ~>=~ ${start} and parcel_key(p.source_parcel_id) ~<~ ${start + LAST_CHARACTER}
    ${partialFilter(db, filter)}
  order by parcel_key(p.source_parcel_id) using ~<~, p.id limit ${limit}
`

/** The parcels with this ZIP code: those with addresses that contain something similar to `address`, the most similar ones first, or all if it is empty. */
export const listParcelsByZip = async (
  db: Db,
  zip: string,
  address: string,
  filter: PartialFilter,
  limit: number,
): Promise<ParcelSearchRow[]> => db<ParcelSearchRow[]>`
  select ${parcelColumns(db)} from parcels p join sources s using (source)
  where left(p.situs_zip, 5) = ${zip} ${partialFilter(db, filter)}
    ${address === '' ? db`` : db`and ${matches(db, 'situs_address', 'contains', address)}`}
  order by ${address === '' ? db`` : db`${likeness(db, 'situs_address', 'contains', address)} desc,`} p.id limit ${limit}
`

/** The parcels with this owner, by normalized name. Fast where a trigram search would take seconds. */
export const listParcelsByOwner = async (
  db: Db,
  name: string,
  filter: PartialFilter,
  limit: number,
): Promise<ParcelSearchRow[]> => db<ParcelSearchRow[]>`
  select ${parcelColumns(db)} from parcels p join sources s using (source)
  where p.owner_name_normalized = any(${nameKeys(db, name)}) ${partialFilter(db, filter)}
  order by p.source collate "C", p.source_parcel_id collate "C" limit ${limit}
`
