/** An answer whose body is JSON text already: what the database wrote goes out as it is. */
export const jsonResponse = (text: string, init: ResponseInit = {}): Response =>
  new Response(text, { ...init, headers: { 'content-type': 'application/json', ...init.headers } })

/** `{"count":…,"<name>":[…]}` around rows that are JSON texts; with `next` when the list comes by pages. */
export const listJson = (name: string, rows: readonly string[], next?: string | null): string =>
  `{"count":${rows.length},"${name}":[${rows.join(',')}]${next === undefined ? '' : `,"next":${JSON.stringify(next)}`}}`

export const listResponse = (
  name: string,
  rows: readonly string[],
  next?: string | null,
  init?: ResponseInit,
): Response => jsonResponse(listJson(name, rows, next), init)

/** A page of at most `limit` rows, with `next`, the key of the last one, if more follow: `list` is asked for one row more. */
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

/** A list that comes whole, or by pages when a `limit` is given. `list` takes null for all. */
export const wholeOrPageJson = async <Row extends { body: string }>(
  name: string,
  limit: number | undefined,
  list: (limit: number | null) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Promise<string> =>
  limit === undefined ? listJson(name, (await list(null)).map(bodyOf)) : pageJson(name, limit, list, keyOf)

const bodyOf = ({ body }: { body: string }): string => body
