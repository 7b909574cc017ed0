import type { Db, Transaction } from '../../../core/postgres/database'

/** A row of a list, with its answer as JSON texts. */
export interface MatchRow {
  row: number
  outcome: string
  input: string
  answer: string
}

/** Stores answered rows. */
export const addMatchRows = async (tx: Transaction, matchId: string, rows: readonly MatchRow[]): Promise<void> => {
  await tx`
    insert into match_rows (match_id, row, outcome, input, answer)
    select ${matchId}, * from unnest(
      ${rows.map(({ row }) => row)}::int[], ${rows.map(({ outcome }) => outcome)}::text[],
      ${rows.map(({ input }) => input)}::text[]::json[], ${rows.map(({ answer }) => answer)}::text[]::json[])`
}

/** Deletes the rows that an earlier attempt has stored. */
export const deleteMatchRows = async (tx: Transaction, matchId: string): Promise<void> => {
  await tx`delete from match_rows where match_id = ${matchId}`
}

/** Rows after `after` with one of these outcomes (null: all), as JSON texts: `input`, and the answer's fields. */
export const listMatchRows = (
  db: Db,
  matchId: string,
  { outcomes, after, limit }: { outcomes: readonly string[] | null; after: number; limit: number },
): Promise<{ row: number; body: string }[]> => db<{ row: number; body: string }[]>`
  select row, '{"row":' || row || ',"outcome":"' || outcome || '",' || substr(answer::text, 2, length(answer::text) - 2)
    || ',"input":' || input::text || '}' as body
  from match_rows
  where match_id = ${matchId} and row > ${after} ${outcomes === null ? db`` : db`and outcome = any(${[...outcomes]}::text[])`}
  order by row limit ${limit}`

/** The rows of a list in their original form, in order. */
export const listMatchInputs = (
  db: Db,
  matchId: string,
  outcomes: readonly string[],
): Promise<{ row: number; input: Record<string, string> }[]> => db<{ row: number; input: Record<string, string> }[]>`
  select row, input from match_rows where match_id = ${matchId} and outcome = any(${[...outcomes]}::text[]) order by row`

/** The columns of a list, in their order. */
export const listMatchColumns = async (db: Db, matchId: string): Promise<string[]> => {
  const rows = await db<{ name: string }[]>`
    select c.name from match_rows r, json_object_keys(r.input) with ordinality as c (name, place)
    where r.match_id = ${matchId} group by c.name order by min(r.row * 1000::bigint + c.place)`
  return rows.map(({ name }) => name)
}
