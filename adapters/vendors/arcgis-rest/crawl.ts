import { Type } from '@sinclair/typebox'
import type { CrawlPage, CrawlSource, FetchContext, RawDocument } from '../../adapter'
import { layerAddress } from '../../read-scrape'
import { textIn } from '../../reading/record-map'
import { asOf } from '../../reading/stamp'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { type Feature, readFeatures, readParcel } from './features'
import { askFeatures, askLayer, askQuery, within } from './fetch'
import { type Layer, readLayer } from './layer'
import { expectAnswer, readAnswer } from './read-answer'

/** Some layers allow tens of thousands per request, more than a response can contain. A page_size may be larger. */
const MAX_AT_ONCE = 2_000
/** For layers that do not report a limit and do not support pagination. */
const CAUTIOUS_BATCH = 100

/**
 * Crawls the whole layer by ascending object id, in pages as large as the layer allows. The cursor is the last id
 * read: unlike an offset, it stays valid when features are added or removed. A parcel whose features are on two
 * pages is returned twice, each time with a part of its boundary.
 */
export async function* crawlLayer(
  source: CrawlSource,
  config: Config,
  { http }: FetchContext,
): AsyncGenerator<CrawlPage, void> {
  const ask = async (request: Parameters<typeof http.request>[0]) => expectAnswer(await http.request(request))
  const layer = readLayer([await ask(askLayer(source.baseUrl, config))], config)
  const { objectIdField } = layer
  if (objectIdField === null) throw new ScrapeError('bad_config', 'the layer has no object ids: it cannot be crawled')
  const size = pageSize(layer, config)
  const everything = within(config, '1=1')
  const countFeatures = async () => {
    const query = askQuery(source.baseUrl, config, 'count', {}, { where: everything, returnCountOnly: 'true' })
    return readAnswer([await ask(query)], 'count', Type.Object({ count: Type.Integer() })).count
  }
  let total = await countFeatures()
  let read = source.records
  let last = readCursor(source.cursor)

  /** After the last page, missing features are counted again: they may have been deleted during the crawl. */
  const toPage = async (document: RawDocument, features: readonly Feature[], isLast: boolean): Promise<CrawlPage> => {
    if (isLast && read < total) total = await countFeatures()
    return {
      ...readPage(document, features, config, layer),
      records: features.length,
      cursor: isLast ? null : String(last),
      total,
    }
  }

  if (layer.canPage) {
    for (let isLast = false; !isLast; ) {
      const query = {
        where: last === null ? everything : within(config, `${objectIdField} > ${last}`),
        orderByFields: objectIdField,
        ...(size === null ? {} : { resultRecordCount: String(size) }),
      }
      const document = await ask(askFeatures(source.baseUrl, config, query, { outFields: [objectIdField] }))
      const { features: sent, exceededTransferLimit } = readFeatures([document], config)
      const features = withoutRepeats(sent, objectIdField)
      read += features.length
      // A server may return fewer features than its limit, with or without saying so. If features are missing, only an empty page is the last.
      const hasMore = exceededTransferLimit === true || (size !== null && sent.length >= size) || read < total
      isLast = features.length === 0 || !hasMore
      last = highestOf(features, objectIdField, last)
      if (!isLast) expectAscending(sent, objectIdField)
      yield await toPage(document, features, isLast)
    }
    return
  }
  /**
   * Requests features by id. Some servers return fewer than requested, so the rest is requested again until a response has none of it:
   * those features were deleted meanwhile.
   */
  const askBatch = async (batch: readonly number[]): Promise<{ document: RawDocument; features: Feature[] }> => {
    const found: Feature[] = []
    for (let left = new Set(batch); ; ) {
      const query = { objectIds: [...left].join(',') }
      const document = await ask(askFeatures(source.baseUrl, config, query, { outFields: [objectIdField] }))
      const { features: sent, exceededTransferLimit } = readFeatures([document], config)
      const features = withoutRepeats(sent, objectIdField)
      if (exceededTransferLimit === true && features.length === 0) {
        throw new ScrapeError(
          'bad_config',
          `the layer does not return ${left.size} features per request: set a lower page_size`,
        )
      }
      const ids = new Set(features.map((feature) => idOf(feature, objectIdField)))
      if (!ids.isSubsetOf(left)) {
        throw new ScrapeError('page_changed', 'the layer answers a request for some features with others')
      }
      found.push(...features)
      left = left.difference(ids)
      if (ids.size === 0 || left.size === 0) return { document, features: found }
    }
  }

  const idsAnswer = await ask(askQuery(source.baseUrl, config, 'ids', {}, { where: everything, returnIdsOnly: 'true' }))
  const ids = [...new Set(readIds(idsAnswer))].filter((id) => last === null || id > last)
  for (let from = 0; from < Math.max(ids.length, 1); ) {
    const batch = ids.slice(from, from + (size ?? CAUTIOUS_BATCH))
    from += Math.max(batch.length, 1)
    if (batch.length === 0) return yield { parcels: [], rejected: [], records: 0, cursor: null, total }
    const { document, features } = await askBatch(batch)
    read += features.length
    last = batch.at(-1) as number
    yield await toPage(document, features, from >= ids.length)
  }
}

const pageSize = ({ maxRecordCount }: Layer, { page_size }: Config): number | null => {
  if (maxRecordCount === null) return page_size ?? null
  return Math.max(1, Math.min(maxRecordCount, page_size ?? MAX_AT_ONCE))
}

const readCursor = (cursor: string | null): number | null => {
  if (cursor === null) return null
  // Object ids begin at 0 or below.
  if (!/^-?\d{1,15}$/.test(cursor))
    throw new ScrapeError('bad_config', `cursor ${JSON.stringify(cursor)} is not an object id`)
  return Number(cursor)
}

const readIds = (document: RawDocument): number[] => {
  const schema = Type.Object({ objectIds: Type.Union([Type.Array(Type.Integer()), Type.Null()]) })
  return (readAnswer([document], 'ids', schema).objectIds ?? []).toSorted((one, other) => one - other)
}

const idOf = ({ attributes }: Feature, objectIdField: string): number => {
  const id = attributes[objectIdField]
  if (typeof id !== 'number') throw new ScrapeError('page_changed', `no "${objectIdField}" in a feature`)
  return id
}

/** A feature that is sent twice is one. Counted twice, it would hide another that is missing, and the missing parcel would be retired. */
const withoutRepeats = (features: readonly Feature[], objectIdField: string): Feature[] => [
  ...new Map(features.map((feature) => [idOf(feature, objectIdField), feature])).values(),
]

const highestOf = (features: readonly Feature[], objectIdField: string, before: number | null): number | null => {
  const ids = features.map((feature) => idOf(feature, objectIdField))
  // Without this check, a layer that ignores the condition would be requested forever.
  if (before !== null && !ids.every((id) => id > before)) {
    throw new ScrapeError('page_changed', `the layer answers "${objectIdField} > ${before}" with other features`)
  }
  return ids.reduce<number | null>((most, id) => (most === null || id > most ? id : most), before)
}

/** Otherwise the features between the ids of this page would be skipped. */
const expectAscending = (features: readonly Feature[], objectIdField: string): void => {
  const ids = features.map((feature) => idOf(feature, objectIdField))
  const isSorted = ids.every((id, index) => index === 0 || id >= (ids[index - 1] as number))
  if (!isSorted) throw new ScrapeError('page_changed', `the layer ignores the order by "${objectIdField}"`)
}

/** A problem with one parcel is recorded as rejected; the others continue. */
const readPage = (
  { url, fetchedAt }: RawDocument,
  features: readonly Feature[],
  config: Config,
  layer: Layer,
): Pick<CrawlPage, 'parcels' | 'rejected'> => {
  const page: Pick<CrawlPage, 'parcels' | 'rejected'> = { parcels: [], rejected: [] }
  const { parcel_id } = config.columns
  const groups = Map.groupBy(features, ({ attributes }) => textIn(attributes, parcel_id))
  for (const [parcelId, group] of groups) {
    const ids = group.map(({ attributes }) => attributes[layer.objectIdField as string])
    const what = `${layer.objectIdField} ${ids.slice(0, 5).join(', ')}`
    if (parcelId === undefined) {
      for (const { attributes } of group) {
        const why =
          typeof attributes[parcel_id] === 'number' ? 'is a number with too many digits to be exact' : 'is empty'
        page.rejected.push({
          what: `${layer.objectIdField} ${attributes[layer.objectIdField as string]}`,
          reason: `${parcel_id} ${why}`,
        })
      }
      continue
    }
    try {
      const { sourceParcelId, fields, scrape, geom, updatedOn, years } = readParcel(group, config, layer)
      page.parcels.push({
        sourceParcelId,
        page: layerAddress(url),
        fields: { ...fields, ...(geom === null ? {} : { geom }) },
        // The validators belong to a page of the crawl, which is never requested again.
        scrape: {
          ...scrape,
          fetched_at: fetchedAt,
          ...asOf({ headers: {} }, { layer: layer.editedOn ?? updatedOn, years }),
        },
      })
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      page.rejected.push({ what, reason: error.message, sourceParcelId: parcelId })
    }
  }
  return page
}
