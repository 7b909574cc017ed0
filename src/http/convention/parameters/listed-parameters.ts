import type { TSchema } from '@sinclair/typebox'
import { HttpError } from '../errors'
import { refuseRepeated } from './refuse-repeated'

/**
 * The rule for query parameters of all routes but those of `/ogc`. Parameters that the route does not list are ignored: they are removed,
 * so that no handler reads them. Two things are refused, because the response would look right and be wrong: a second value for a listed
 * parameter, and a parameter that the schema names in `refused` (`query` in schemas.ts).
 *
 * @throws HttpError 400
 */
export const keepListed = (query: Record<string, unknown>, url: string, schema: TSchema): void => {
  const listed: object = schema.properties ?? {}
  const start = url.indexOf('?')
  if (url.includes('&', start)) {
    refuseRepeated(new URLSearchParams(url.slice(start)), (name) => Object.hasOwn(listed, name))
  }
  const refused: Record<string, string> = schema.refused ?? {}
  for (const name of Object.keys(query)) {
    if (Object.hasOwn(listed, name)) continue
    if (Object.hasOwn(refused, name)) throw new HttpError(400, refused[name] ?? '')
    delete query[name]
  }
}
