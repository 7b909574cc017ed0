import { STATE_CODES } from '../../../search/query/states'
import { HttpError } from './errors'

/**
 * A `state` of a query, in any case. Null: none was given.
 *
 * @throws HttpError 400
 */
export const parseState = (text: string | undefined): string | null => {
  if (text === undefined) return null
  const code = text.trim().toUpperCase()
  if (!STATE_CODES.has(code))
    throw new HttpError(400, 'state must be the 2-letter code of a US state, DC or a territory')
  return code
}
