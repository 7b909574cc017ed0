import Negotiator from 'negotiator'
import { HttpError } from '../convention/errors'
import { refuseRepeated } from '../convention/parameters/refuse-repeated'

export const KEY_PARAMETER = 'key'

export const JSON_TYPE = 'application/json'
export const GEOJSON = 'application/geo+json'
export const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0'
export const JSON_SCHEMA = 'application/schema+json'
export const HTML = 'text/html'

export interface Link {
  href: string
  rel: string
  type: string
  title: string
}

export interface OgcRequest {
  /** The values of the query parameters that the resource knows, without `f` and the key. */
  query: ReadonlyMap<string, string>
  isHtml: boolean
  /** Address below `/ogc`, with the key if it was given in the query: a program that follows links has no other way to send it. */
  address: (path: string, query?: Iterable<readonly [string, string]>) => string
  /** The links that lead from this resource to itself, in this format and in the other one. */
  selfLinks: (path: string, jsonType?: string) => Link[]
}

const COMMON = ['f', KEY_PARAMETER]

/**
 * Reads the parts of a request that all resources have in common.
 *
 * @throws HttpError 400 for a parameter that is unknown, repeated, or not valid
 */
export const readOgcRequest = (
  request: Request,
  baseUrl: string,
  { parameters = [], types = [JSON_TYPE] }: { parameters?: readonly string[]; types?: readonly string[] } = {},
): OgcRequest => {
  const given = new URL(request.url).searchParams
  const known = [...parameters, ...COMMON]
  for (const name of given.keys()) {
    if (!known.includes(name)) {
      throw new HttpError(
        400,
        `unknown query parameter ${JSON.stringify(name.slice(0, 60))}; known are ${known.join(', ')}`,
      )
    }
  }
  // Programs append the key to links that already contain it.
  refuseRepeated(given, (name) => name !== KEY_PARAMETER)
  const format = given.get('f')
  if (format !== null && format !== 'json' && format !== 'html') throw new HttpError(400, 'f must be one of json, html')
  const isHtml = format === null ? prefersHtml(request, types) : format === 'html'
  const query = new Map([...given].filter(([name]) => !COMMON.includes(name)))
  const key = given.get(KEY_PARAMETER)

  const address: OgcRequest['address'] = (path, own = []) => {
    const search = new URLSearchParams(Object.fromEntries(own))
    if (key !== null) search.set(KEY_PARAMETER, key)
    return `${baseUrl}/ogc${path}${search.size === 0 ? '' : `?${search}`}`
  }
  return {
    query,
    isHtml,
    address,
    selfLinks: (path, jsonType = JSON_TYPE) => {
      const link = (isSelf: boolean, name: string, type: string): Link => ({
        href: address(path, [...query, ['f', name]]),
        rel: isSelf ? 'self' : 'alternate',
        type,
        title: isSelf ? 'This document' : `This document as ${name === 'html' ? 'HTML' : 'JSON'}`,
      })
      return [link(!isHtml, 'json', jsonType), link(isHtml, 'html', HTML)]
    },
  }
}

/** JSON unless the caller prefers HTML, as browsers do. */
const prefersHtml = ({ headers }: Request, types: readonly string[]): boolean => {
  const accept = headers.get('accept')
  return accept !== null && new Negotiator({ headers: { accept } }).mediaType([...types, HTML]) === HTML
}

/** Headers of all responses. A page must not send its URL, which may contain the key, to the pages that it links to. */
export const ogcHeaders = (request: Request, type: string): Record<string, string> => ({
  'content-type': type === HTML ? 'text/html; charset=utf-8' : type,
  vary: 'Accept',
  'referrer-policy': 'no-referrer',
  // A response whose URL contains the key must not be stored.
  'cache-control': new URL(request.url).searchParams.has(KEY_PARAMETER) ? 'no-store' : 'private, no-cache',
})
