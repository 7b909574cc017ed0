import { api, ask, Refusal } from '../api/api'

/**
 * Returns the key if the service accepts it.
 *
 * @throws Refusal with status 401: the key is not valid
 */
export const checkKey = async (key: string): Promise<string> => {
  // A header cannot contain other characters, and no key has them.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Refusal(401, 'missing or invalid api key')
  // A short list that every valid key may read.
  await ask(api.v1.portfolios.get({ query: { limit: 1 }, headers: { 'x-service-key': key } }))
  return key
}
