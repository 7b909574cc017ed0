import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { CrawlPage, CrawlSource, FetchContext, RawDocument } from '../../adapter'
import { layerAddress } from '../../read-scrape'
import { readJson } from '../../reading/read-json'
import { textIn } from '../../reading/record-map'
import { asOf } from '../../reading/stamp'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { ask, askRows, expectAnswer, quote, within } from './fetch'
import { agesOf, readParcel, readRows, type SocrataRow } from './rows'

/**
 * Crawls the whole data set in order of parcel id, so that a parcel's rows are adjacent. The last parcel of a full page may continue on
 * the next page, so it is read with that page. The cursor is the last parcel that was read: unlike an offset, it stays valid when rows are
 * added or removed. Rows without a parcel id are read at the end, to report them.
 */
export async function* crawlDataset(
  source: CrawlSource,
  config: Config,
  { http }: FetchContext,
): AsyncGenerator<CrawlPage, void> {
  const { parcel_id } = config.columns
  const everything = config.where === undefined ? {} : { $where: config.where }
  const countRows = async () =>
    readTotal(
      expectAnswer(
        await http.request(ask(source.baseUrl, config, 'count', { $select: 'count(*) as total', ...everything })),
      ),
    )
  let total = await countRows()
  let read = source.records
  const limit = String(config.page_size)
  const requestRows = async (query: Record<string, string>) => {
    const document = expectAnswer(await http.request(askRows(source.baseUrl, config, { $limit: limit, ...query })))
    const rows = readRows([document])
    return { document, rows, isFull: rows.length >= config.page_size }
  }
  /** After the last page, missing rows are counted again: they may have been deleted during the crawl. */
  const toPage = async (
    document: RawDocument,
    rows: readonly SocrataRow[],
    cursor: Cursor | null,
  ): Promise<CrawlPage> => {
    read += rows.length
    if (cursor === null && read < total) total = await countRows()
    return {
      ...readPage(document, rows, config),
      records: rows.length,
      cursor: cursor === null ? null : JSON.stringify(cursor),
      total,
    }
  }

  let place = readCursor(source.cursor)
  while ('after' in place) {
    const { after } = place
    const isNext = after === null ? `${parcel_id} IS NOT NULL` : `${parcel_id} > ${quote(after)}`
    const { document, rows, isFull } = await requestRows({ $where: within(config, isNext), $order: `${parcel_id},:id` })
    // Without this check, a data set that ignores the condition would be requested forever.
    if (after !== null && rows.some((row) => row[parcel_id] === after)) {
      throw new ScrapeError('page_changed', `the data set answers "${isNext}" with other rows`)
    }
    const whole = isFull ? withoutLastParcel(rows, parcel_id) : rows
    place = isFull ? { after: idOf(whole.at(-1) as SocrataRow, parcel_id) } : { without: 0 }
    yield await toPage(document, whole, place)
  }
  for (let offset: number | null = place.without; offset !== null; ) {
    const query = { $where: within(config, `${parcel_id} IS NULL`), $order: ':id', $offset: String(offset) }
    const { document, rows, isFull } = await requestRows(query)
    offset = isFull ? offset + rows.length : null
    yield await toPage(document, rows, offset === null ? null : { without: offset })
  }
}

/** The last parcel whose rows were read, or the number of rows without a parcel id that were read after all others. */
type Cursor = { after: string | null } | { without: number }

const cursorSchema = Type.Union([
  Type.Object({ after: Type.Union([Type.String(), Type.Null()]) }),
  Type.Object({ without: Type.Integer({ minimum: 0 }) }),
])

/** A cursor of an earlier version is a number of rows: such a crawl starts again. */
const readCursor = (cursor: string | null): Cursor => {
  if (cursor === null || /^\d+$/.test(cursor)) return { after: null }
  const value: unknown = JSON.parse(cursor)
  if (!Value.Check(cursorSchema, value)) throw new ScrapeError('bad_config', `cursor ${cursor} is not of this adapter`)
  return value
}

/** As the portal compares it, with all its blanks. */
const idOf = (row: SocrataRow, parcelId: string): string => {
  const id = row[parcelId]
  if (typeof id === 'string') return id
  throw new ScrapeError('page_changed', `${parcelId} of row ${row[':id']} is not a text`)
}

const withoutLastParcel = (rows: SocrataRow[], parcelId: string): SocrataRow[] => {
  const last = textIn(rows.at(-1) as SocrataRow, parcelId)
  // Rows whose parcel number is a filler belong to no parcel.
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
      page.rejected.push({ what: `${parcel_id} ${parcelId}`, reason: error.message, sourceParcelId: parcelId })
    }
  }
  return page
}
