import { STATE_CODES } from '../../../../search/query/states'
import { HttpError } from '../errors'

/**
 * Parses the query parameter `state`, in upper or lower case. Null when it is missing.
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
