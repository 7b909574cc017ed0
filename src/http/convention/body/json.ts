import { bodyInOneWrite } from '../response/body-in-one-write'

/** A response whose body is already JSON text, for example from the database, or parts of it in UTF-8. */
export const jsonResponse = (text: string | readonly Uint8Array[], init: ResponseInit = {}): Response =>
  new Response(bodyInOneWrite(text), { ...init, headers: { 'content-type': 'application/json', ...init.headers } })

/** `{"count":…,"<name>":[…]}` around rows that are JSON texts. A paged list also has `next`. `more`: further members, each after a comma. */
export const listJson = (name: string, rows: readonly string[], next?: string | null, more = ''): string =>
  `{"count":${rows.length},"${name}":[${rows.join(',')}]${next === undefined ? '' : `,"next":${JSON.stringify(next)}`}${more}}`

/** `listJson` in UTF-8, around runs of rows that are in UTF-8. Rows of a run are separated already. */
export const encodedListJson = (
  name: string,
  { count, runs, next }: { count: number; runs: readonly Uint8Array[]; next: string | null },
  more = '',
): Uint8Array[] => [
  Buffer.from(`{"count":${count},"${name}":[`),
  ...runs.flatMap((run, place) => (place === 0 ? [run] : [COMMA, run])),
  Buffer.from(`],"next":${JSON.stringify(next)}${more}}`),
]

const COMMA = Buffer.from(',')

export const listResponse = (
  name: string,
  rows: readonly string[],
  next?: string | null,
  init?: ResponseInit,
): Response => jsonResponse(listJson(name, rows, next), init)

/** A page of at most `limit` rows. It calls `list` with one row more; if that row exists, `next` is the key of the page's last row. */
export const pageJson = async <Row extends { body: string }>(
  name: string,
  limit: number,
  list: (limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Promise<string> => {
  const rows = await list(limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last !== undefined ? keyOf(last) : null
  return listJson(name, page.map(bodyOf), next)
}

/** The whole list, or one page if a `limit` is given. `list(null)` returns all rows. */
export const wholeOrPageJson = async <Row extends { body: string }>(
  name: string,
  limit: number | undefined,
  list: (limit: number | null) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Promise<string> =>
  limit === undefined ? listJson(name, (await list(null)).map(bodyOf)) : pageJson(name, limit, list, keyOf)

const bodyOf = ({ body }: { body: string }): string => body
