import type { Db } from '../../../core/postgres/database'
import type { PortfolioOwner } from './portfolios'

const fieldsOf = (db: Db) => db`id, name, query, iso_utc(created_at) as created_at`

/** Saved searches as JSON texts, newest first. `after`: the id of the last one of the previous page. */
export const listSavedSearches = (
  db: Db,
  owner: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select ${fieldsOf(db)} from saved_searches
    where owner = ${owner} ${after === null ? db`` : db`and id < ${after}`}
    order by id desc limit ${limit}
  ) row order by id desc`

/** A new saved search as JSON text. Null: the owner has `most` already. */
export const addSavedSearch = async (
  db: Db,
  { owner, accountId }: PortfolioOwner,
  { name, query, most }: { name: string; query: string; most: number },
): Promise<string | null> => {
  await db`select pg_advisory_xact_lock(hashtextextended(${`saved searches ${owner}`}, 0))`
  const [row] = await db<{ body: string }[]>`
    with added as (
      insert into saved_searches (owner, account_id, name, query)
      select ${owner}, ${accountId}, ${name}, ${query}
      where (select count(*) from saved_searches where owner = ${owner}) < ${most}
      returning *
    )
    select row_to_json(row)::text as body from (select ${fieldsOf(db)} from added) row`
  return row?.body ?? null
}

/** A deleted saved search as JSON text. Null: there is none, or it belongs to another owner. */
export const deleteSavedSearch = async (db: Db, owner: string, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with deleted as (delete from saved_searches where id = ${id} and owner = ${owner} returning *)
    select row_to_json(row)::text as body from (select ${fieldsOf(db)} from deleted) row`
  return row?.body ?? null
}
