import { Type } from '@sinclair/typebox'
import type { CrawlPage, CrawlSource, FetchContext, RawDocument } from '../../adapter'
import { layerAddress } from '../../read-scrape'
import { readJson } from '../../reading/read-json'
import { textIn } from '../../reading/record-map'
import { asOf } from '../../reading/stamp'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { ask, askRows, expectAnswer } from './fetch'
import { agesOf, readParcel, readRows, type SocrataRow } from './rows'

/**
 * Crawls the whole data set in order of parcel id, so that a parcel's rows are adjacent. The last parcel of a full page may continue on
 * the next page, so it is read with that page. The cursor is the number of rows read.
 */
export async function* crawlDataset(
  source: CrawlSource,
  config: Config,
  { http }: FetchContext,
): AsyncGenerator<CrawlPage, void> {
  const { parcel_id } = config.columns
  const everything = config.where === undefined ? {} : { $where: config.where }
  const count = await http.request(
    ask(source.baseUrl, config, 'count', { $select: 'count(*) as total', ...everything }),
  )
  const total = readTotal(expectAnswer(count))
  let offset = readCursor(source.cursor)
  for (let isLast = false; !isLast; ) {
    const query = {
      ...everything,
      $order: `${parcel_id},:id`,
      $limit: String(config.page_size),
      $offset: String(offset),
    }
    const document = expectAnswer(await http.request(askRows(source.baseUrl, config, query)))
    const rows = readRows([document])
    isLast = rows.length < config.page_size
    const whole = isLast ? rows : withoutLastParcel(rows, parcel_id)
    offset += whole.length
    const cursor = isLast ? null : String(offset)
    yield { ...readPage(document, whole, config), records: whole.length, cursor, total }
  }
}

const withoutLastParcel = (rows: SocrataRow[], parcelId: string): SocrataRow[] => {
  const last = textIn(rows.at(-1) as SocrataRow, parcelId)
  // Rows without a parcel number belong to no parcel, and the portal may sort them anywhere.
  const whole =
    last === undefined
      ? rows
      : rows.slice(
          0,
          rows.findIndex((row) => textIn(row, parcelId) === last),
        )
  if (whole.length > 0) return whole
  throw new ScrapeError(
    'bad_config',
    `${rows.length} rows belong to the parcel "${last}" alone: set a higher page_size`,
  )
}

const readTotal = (document: RawDocument): number => {
  const schema = Type.Array(Type.Object({ total: Type.String({ pattern: '^\\d+$' }) }), { minItems: 1 })
  return Number(readJson([document], 'count', schema)[0]?.total)
}

const readCursor = (cursor: string | null): number => {
  if (cursor === null) return 0
  if (!/^\d{1,12}$/.test(cursor))
    throw new ScrapeError('bad_config', `cursor ${JSON.stringify(cursor)} is not a number of rows`)
  return Number(cursor)
}

/** A problem with one parcel is recorded as rejected; the others continue. */
const readPage = (
  document: RawDocument,
  rows: readonly SocrataRow[],
  config: Config,
): Pick<CrawlPage, 'parcels' | 'rejected'> => {
  const page: Pick<CrawlPage, 'parcels' | 'rejected'> = { parcels: [], rejected: [] }
  const { parcel_id } = config.columns
  for (const [parcelId, group] of Map.groupBy(rows, (row) => textIn(row, parcel_id))) {
    if (parcelId === undefined) {
      for (const row of group) page.rejected.push({ what: row[':id'], reason: `${parcel_id} is empty` })
      continue
    }
    try {
      const { sourceParcelId, fields, scrape, geom, ...hints } = readParcel(group, config)
      page.parcels.push({
        sourceParcelId,
        page: layerAddress(document.url),
        fields: { ...fields, ...(geom === null ? {} : { geom }) },
        // The validators belong to a page of the crawl, which is never requested again.
        scrape: { ...scrape, fetched_at: document.fetchedAt, ...asOf({ headers: {} }, agesOf(document, hints)) },
      })
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      page.rejected.push({ what: `${parcel_id} ${parcelId}`, reason: error.message })
    }
  }
  return page
}
