import { Type } from '@sinclair/typebox'
import type { CrawlPage, CrawlSource, FetchContext, RawDocument } from '../../adapter'
import { readJson } from '../../reading/read-json'
import { textIn } from '../../reading/record-map'
import { asOf } from '../../reading/stamp'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { ask, askRows, expectAnswer } from './fetch'
import { agesOf, readParcel, readRows, type SocrataRow } from './rows'

/**
 * The whole data set in the order of the parcels' ids, so that the rows of one stand together: the last of a full page may
 * have more of them on the next, and is left to it. The cursor is how many rows were taken.
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
  // Rows without a number are no parcel's, and come wherever the portal sorts them.
  const whole =
    last === undefined
      ? rows
      : rows.slice(
          0,
          rows.findIndex((row) => textIn(row, parcelId) === last),
        )
  if (whole.length > 0) return whole
  throw new ScrapeError('bad_config', `${rows.length} rows are of the parcel "${last}" alone: set page_size higher`)
}

const readTotal = (document: RawDocument): number => {
  const schema = Type.Array(Type.Object({ total: Type.String({ pattern: '^\\d+$' }) }), { minItems: 1 })
  return Number(readJson([document], 'count', schema)[0]?.total)
}

const readCursor = (cursor: string | null): number => {
  if (cursor === null) return 0
  if (!/^\d{1,12}$/.test(cursor))
    throw new ScrapeError('bad_config', `cursor ${JSON.stringify(cursor)} is no number of rows`)
  return Number(cursor)
}

/** What is wrong with one parcel is told of it, and the others go on. */
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
        fields: { ...fields, ...(geom === null ? {} : { geom }) },
        // Validators are of the page of a crawl, which nobody will ask for again.
        scrape: { ...scrape, fetched_at: document.fetchedAt, ...asOf({ headers: {} }, agesOf(document, hints)) },
      })
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      page.rejected.push({ what: `${parcel_id} ${parcelId}`, reason: error.message })
    }
  }
  return page
}
