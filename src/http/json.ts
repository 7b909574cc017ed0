/** An answer whose body is JSON text already: what the database wrote goes out as it is. */
export const jsonResponse = (text: string, init: ResponseInit = {}): Response =>
  new Response(text, { ...init, headers: { 'content-type': 'application/json', ...init.headers } })

/** `{"count":…,"<name>":[…]}` around rows that are JSON texts; with `next` when the list comes by pages. */
export const listJson = (name: string, rows: readonly string[], next?: string | null): string =>
  `{"count":${rows.length},"${name}":[${rows.join(',')}]${next === undefined ? '' : `,"next":${JSON.stringify(next)}`}}`

export const listResponse = (name: string, rows: readonly string[], next?: string | null): Response =>
  jsonResponse(listJson(name, rows, next))
