import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

/**
 * A word from the names of owners, companies, streets, cities or mailing addresses, in lower case without accents, and how many rows
 * contain it. Words with digits are excluded, except ordinals ("54th").
 */
export interface VocabularyRow {
  word: string
  count: number
  /** The word is in the streets of many parcels, and in few names. */
  isStreet: boolean
}

/**
 * A word is a street word if this many parcels have it in their address, and if its share of all addresses is this many times its share
 * of all names.
 */
const MIN_STREET = { parcels: 5, timesNames: 1.5 } as const

/** A misspelled word is usually in only one row. Callers hardly ever mean words beyond this limit. */
const MAX_WORDS = 500_000

/** The most frequent words, sorted by code point. Reads every row, about 10 s per million parcels, so do not call it in a request. */
export const listVocabulary = (db: Db): Promise<VocabularyRow[]> => db<VocabularyRow[]>`
  with texts as (
    select 'name' as field, owner_name_normalized as text, count(*) as n from live_parcels where owner_name is not null group by 2
    union all
    -- Without house numbers there are far fewer streets than addresses.
    select 'street', translate(lower(
        case when situs_address ~ '^[0-9]' then substr(situs_address, strpos(situs_address, ' ') + 1) else situs_address end
      ), '.,#/&-''', '      '), count(*)
      from live_parcels where situs_address is not null group by 2
    union all
    select 'mailing', translate(lower(owner_mailing_address), '.,#/&-''', '      '), count(*)
      from live_parcels where owner_mailing_address is not null group by 2
    union all
    select 'city', translate(lower(situs_city), '.,#/&-''', '      '), count(*) from live_parcels where situs_city is not null group by 2
    union all
    select 'name', name_normalized, count(*) from entities group by 2
    union all
    select 'name', normalize_name(registered_agent_name), count(*) from entities where registered_agent_name is not null group by 2
    -- Materialized: PostgreSQL expects few words when it plans this for any limit, and would calculate the totals again for each word.
  ), totals as materialized (
    select sum(n) filter (where field = 'street') as streets, count(*) filter (where field = 'name') as names from texts
  ), words as (
    select word, sum(n)::float8 as count, coalesce(sum(n) filter (where field = 'street'), 0) as streets,
      count(*) filter (where field = 'name') as names
    from texts, string_to_table(
      -- The same as fold() in search/query/text.ts. Most texts are ASCII.
      case when octet_length(text) = length(text) then text
        else lower(regexp_replace(normalize(text, NFD), '[\\u0300-\\u036f]', '', 'g')) end, ' ') as word
    where length(word) between 2 and 40 and word ~ '^([^0-9]|[0-9]+(st|nd|rd|th)$)'
    group by word
    order by count desc, word collate "C" limit ${MAX_WORDS}
  )
  select word, count, words.streets >= ${MIN_STREET.parcels} and
      words.streets * totals.names >= ${MIN_STREET.timesNames}::float8 * words.names * totals.streets as "isStreet"
  from words, totals order by word collate "C"
`

/** A number that increases with every change of a row. The increase shows how outdated the vocabulary is. */
export const findChangeNumber = async (db: Db): Promise<number> => {
  const rows = await db<{ value: number }[]>`select last_value::float8 as value from search_outbox_seq`
  return onlyRow(rows).value
}
