import { LIST_BOUNDS } from '../../../core/bounds'
import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { WORK_KINDS } from '../work/work-kinds'

/** What a match compares. */
export interface MatchInput {
  owner: string
  upload: string | null
  retryOf: string | null
  outcomes: readonly string[]
  /** Column of the list → field. Null: guessed. */
  columns: Record<string, string> | null
  state: string | null
  county: string | null
  source: string | null
}

/** The fields that callers see. `m` is a row of `matches`, `w` its work. */
const matchFields = (db: Db) => db`
  m.id, w.status, m.upload, m.retry_of, m.columns, m.state, m.county, m.source,
  (w.result ->> 'rows')::int as rows, w.done::float8 as done, w.total::float8 as total, w.result -> 'counts' as counts,
  w.error_code, w.error_message, iso_utc(w.created_at) as created_at, iso_utc(w.started_at) as started_at,
  iso_utc(w.finished_at) as finished_at, iso_utc(m.expires_at) as expires_at`

const ownedBy = (db: Db, owner: string | null) => (owner === null ? db`` : db`and m.owner = ${owner}`)

/** Matches as JSON texts, newest first. `owner` null: all of them. */
export const listMatches = (
  db: Db,
  owner: string | null,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select ${matchFields(db)} from matches m join work w using (id)
    where m.expires_at > now() ${ownedBy(db, owner)} ${after === null ? db`` : db`and m.id < ${after}`}
    order by m.id desc limit ${limit}
  ) row order by id desc`

/** A match as JSON text. Null: there is none, it has expired, or it belongs to another owner. */
export const findMatch = async (db: Db, owner: string | null, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (
      select ${matchFields(db)} from matches m join work w using (id)
      where m.id = ${id} and m.expires_at > now() ${ownedBy(db, owner)}
    ) row`
  return row?.body ?? null
}

/** What a match compares. Null: there is none with this id. */
export const findMatchInput = async (db: Db, id: string): Promise<MatchInput | null> => {
  const [row] = await db<MatchInput[]>`
    select owner, upload, retry_of as "retryOf", outcomes, columns, state, county, source from matches where id = ${id}`
  return row ?? null
}

/** How many matches an owner has. No other transaction adds one until this one ends. */
export const countMatches = async (db: Db, owner: string): Promise<number> => {
  await db`select pg_advisory_xact_lock(hashtextextended(${`matches ${owner}`}, 0))`
  const rows = await db<{ count: number }[]>`
    select count(*)::int as count from matches where owner = ${owner} and expires_at > now()`
  return onlyRow(rows).count
}

/** Adds the match for the work with this id. */
export const addMatch = async (
  db: Db,
  id: string,
  { owner, upload, retryOf, outcomes, columns, state, county, source }: MatchInput,
): Promise<void> => {
  await db`
    insert into matches (id, owner, upload, retry_of, outcomes, columns, state, county, source, expires_at)
    values (${id}, ${owner}, ${upload}, ${retryOf}, ${[...outcomes]}::text[],
      ${columns === null ? null : JSON.stringify(columns)}::text::jsonb, ${state}, ${county}, ${source},
      now() + ${LIST_BOUNDS.days} * interval '1 day')`
}

/**
 * Deletes a match that has ended, with its rows, and its list if no other match has it. Returns false if there is none or it is still
 * queued or running.
 */
export const deleteMatch = async (db: Db, id: string): Promise<boolean> => {
  const deleted = await db`
    with deleted as (
      delete from matches m using work w
      where m.id = ${id} and w.id = m.id and w.kind = ${WORK_KINDS.match.name} and w.status in ('done', 'error')
      returning m.upload
    ), list as (
      delete from uploads u using deleted d
      where u.id = d.upload and not exists (select from matches m where m.upload = u.id and m.id <> ${id})
    )
    select from deleted`
  return deleted.length === 1
}

/** Deletes up to `limit` matches that have expired, with their rows, and returns their number. */
export const deleteExpiredMatches = async (db: Db, limit: number): Promise<number> => {
  const { count } = await db`
    delete from matches where id in (select id from matches where expires_at < now() limit ${limit})`
  return count
}
