import { HttpError } from '../errors'

/**
 * Refuses a second value for a parameter, because only one of them would be used. `isRead`: whether the route reads the parameter.
 *
 * @throws HttpError 400
 */
export const refuseRepeated = (query: URLSearchParams, isRead: (name: string) => boolean): void => {
  const seen = new Set<string>()
  for (const name of query.keys()) {
    if (seen.has(name) && isRead(name)) throw new HttpError(400, `${name} is given more than once`)
    seen.add(name)
  }
}
