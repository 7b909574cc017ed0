import type { FetchContext, Fetched, HttpRequest, ScrapeTarget } from '../../adapter'
import { conditionalHeaders } from '../../http/portal-url'
import { isNotModified } from '../../reading/page/expect-page'
import { columnsOf } from '../../reading/record-map'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { type Layer, readLayer } from './layer'
import { expectAnswer } from './read-answer'

/** Fetches the layer's description, then the features of the parcel. */
export const fetchFeatures = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const layer = expectAnswer(await http.request(askLayer(target.baseUrl, config)))
  const where = isParcel(target.sourceParcelId, config, readLayer([layer], config))
  const features = await http.request(
    askFeatures(target.baseUrl, config, { where }, { headers: conditionalHeaders(target) }),
  )
  if (isNotModified(features)) return { notModified: true }
  return { documents: [layer, expectAnswer(features)] }
}

export const askLayer = (baseUrl: string, config: Config): HttpRequest => ({
  name: 'layer',
  url: `${layerUrl(baseUrl, config)}?f=json`,
  headers: refererOf(config),
})

/** A query for features as JSON, with the mapped columns and boundaries in degrees. */
export const askFeatures = (
  baseUrl: string,
  config: Config,
  query: Readonly<Record<string, string>>,
  { headers = {}, outFields = [] }: { headers?: Record<string, string>; outFields?: string[] } = {},
): HttpRequest =>
  askQuery(baseUrl, config, 'features', headers, {
    ...query,
    outFields: [...new Set([...outFields, ...columnsOf(config.columns)])].join(','),
    returnGeometry: 'true',
    outSR: '4326',
    // The seventh decimal of a degree is about a centimeter.
    geometryPrecision: '7',
  })

/** A query with a short response: a count, or ids. */
export const askQuery = (
  baseUrl: string,
  config: Config,
  name: string,
  headers: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>>,
): HttpRequest => {
  const url = `${layerUrl(baseUrl, config)}/query`
  const form = { ...parameters, f: 'json' }
  const request = { name, headers: { ...refererOf(config), ...headers } }
  // Lists of ids exceed the length that servers allow for URLs.
  if ('objectIds' in parameters) return { ...request, url, form }
  return { ...request, url: `${url}?${new URLSearchParams(form)}` }
}

/** Joins both conditions with `and`, the source's own first. */
export const within = ({ where }: Config, condition: string): string =>
  where === undefined ? condition : `(${where}) AND ${condition}`

const isParcel = (parcelId: string, config: Config, { types }: Layer): string => {
  const { parcel_id } = config.columns
  const isNumber = /^esriFieldType(?:OID|SmallInteger|Integer|BigInteger|Single|Double)$/.test(
    types.get(parcel_id) ?? '',
  )
  if (!isNumber) return within(config, `${parcel_id} = '${parcelId.replaceAll("'", "''")}'`)
  if (!/^\d+(?:\.\d+)?$/.test(parcelId)) {
    throw new ScrapeError('not_found', `"${parcelId}" is not a number, and the layer's ${parcel_id} is numeric`)
  }
  return within(config, `${parcel_id} = ${parcelId}`)
}

const layerUrl = (baseUrl: string, { layer_url }: Config): string => {
  const url = new URL(layer_url ?? baseUrl)
  if (!/\/\d+\/?$/.test(url.pathname)) {
    throw new ScrapeError(
      'bad_config',
      'neither vendor_config.layer_url nor base_url is the URL of a layer, ending with its number',
    )
  }
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`
}

const refererOf = ({ referer }: Config): Record<string, string> => (referer === undefined ? {} : { referer })
