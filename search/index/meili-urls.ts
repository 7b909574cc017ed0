import { ServiceError } from '../../core/service-error'
import type { StateSet } from '../../core/state-set'
import { STATE_CODES } from '../query/states'
import { type Instance, nameInstance } from './instances'

const FORMAT = 'MEILI_URLS must be like "http://a:7700=OR,WA http://b:7700=*"'
/** Each process of the role sync holds connections to PostgreSQL for each instance. */
const MAX_INSTANCES = 16

const refuse = (problem: string): never => {
  throw new ServiceError('bad_config', `${FORMAT}; ${problem}`)
}

/**
 * Reads `MEILI_URLS`: several URLs of Meilisearch, each with its states. Exactly one has `*`: all states that no other entry
 * lists.
 *
 * @throws ServiceError `bad_config`
 */
export const readMeiliUrls = (text: string, masterKey: string | null): readonly Instance[] => {
  const entries = text.split(/\s+/).map((entry, place) => readEntry(entry, `entry ${place + 1}`))
  if (entries.length > MAX_INSTANCES) refuse(`it has ${entries.length} entries, and may have ${MAX_INSTANCES}`)
  const urls = entries.map(({ url }) => nameInstance({ url, masterKey }))
  const twice = findTwice(urls)
  if (twice !== null) refuse(`${twice} is in it twice`)
  const listed = entries.flatMap(({ codes }) => codes ?? [])
  const stateTwice = findTwice(listed)
  if (stateTwice !== null) refuse(`${stateTwice} is in it twice`)
  const others = entries.filter(({ codes }) => codes === null).length
  if (others !== 1) refuse(`exactly one entry must have *, for all other states; ${others} have it`)
  return entries.map(({ url, codes }) => {
    const states: StateSet = codes === null ? { codes: listed, isExcept: true } : { codes, isExcept: false }
    return { url, masterKey, states }
  })
}

/** `codes` is null for `*`. Messages do not show the URL, which may have a password. */
const readEntry = (entry: string, where: string): { url: string; codes: string[] | null } => {
  const [, address = '', list = ''] = /^(.+)=([^=]*)$/.exec(entry) ?? refuse(`${where} has no "="`)
  if (!URL.canParse(address)) refuse(`the address of ${where} is not a URL`)
  const { protocol, username, password, search } = new URL(address)
  if (!['http:', 'https:'].includes(protocol)) refuse(`the URL of ${where} must start with http:// or https://`)
  if (username !== '' || password !== '') refuse(`the key of ${where} is MEILI_MASTER_KEY, the same for all`)
  if (search !== '') refuse(`the URL of ${where} has a "?"`)
  const url = address.replace(/\/+$/, '')
  if (list === '*') return { url, codes: null }
  const codes = list.split(',')
  const unknown = codes.find((code) => !STATE_CODES.has(code))
  if (unknown !== undefined) refuse(`${where} has "${unknown}", which is not the code of a state, such as OR`)
  return { url, codes }
}

const findTwice = (texts: readonly string[]): string | null =>
  texts.find((text, place) => texts.indexOf(text) !== place) ?? null
