import type { Sql } from '../../core/postgres/database'
import { csvCell } from '../../core/text/csv-cell'
import { listMatchColumns, listMatchRows } from '../../drizzle/queries/matches/match-rows'
import { cellOf } from './read-list'

export const RESULT_FORMATS = ['csv', 'ndjson'] as const
export type ResultFormat = (typeof RESULT_FORMATS)[number]

/** How many rows are read at a time. */
const PAGE = 1_000
/** The file's columns after those of the list. */
const ANSWER_COLUMNS = [
  'match_row',
  'match_outcome',
  'match_score',
  'match_decided_by',
  'match_reason',
  'match_count',
  'match_source',
  'match_source_parcel_id',
  'match_situs_address',
  'match_situs_city',
  'match_situs_zip',
  'match_owner_name',
  'match_candidates',
]

interface Result {
  row: number
  outcome: string
  reason: string | null
  explanation: string | null
  decided_by: string | null
  score: number | null
  count: number
  parcels: {
    source: string
    source_parcel_id: string
    situs_address: string | null
    situs_city: string | null
    situs_zip: string | null
    owner_name: string | null
  }[]
  input: Record<string, string>
}

/**
 * The rows of a match with their results, as a file. A CSV has the columns of the list, then those of the result. The candidates of a
 * tie are in one cell.
 */
export const writeResults = (
  sql: Sql,
  matchId: string,
  { format, outcomes }: { format: ResultFormat; outcomes: readonly string[] | null },
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let after = 0
  let columns: string[] | null = null
  return new ReadableStream({
    pull: async (controller) => {
      if (columns === null) {
        columns = await listMatchColumns(sql, matchId)
        if (format === 'csv') controller.enqueue(encoder.encode(writeLine([...columns, ...ANSWER_COLUMNS])))
      }
      const rows = await listMatchRows(sql, matchId, { outcomes, after, limit: PAGE })
      const last = rows.at(-1)
      if (last === undefined) return controller.close()
      after = last.row
      const of = columns
      const lines =
        format === 'csv'
          ? rows.map(({ body }) => writeLine(cellsOf(JSON.parse(body), of)))
          : rows.map(({ body }) => `${body}\n`)
      controller.enqueue(encoder.encode(lines.join('')))
    },
  })
}

const writeLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

const cellsOf = (result: Result, columns: readonly string[]): string[] => {
  const { row, outcome, reason, explanation, decided_by, score, count, parcels, input } = result
  const parcel = outcome === 'matched' ? parcels[0] : undefined
  return [
    ...columns.map((name) => cellOf(input, name)),
    ...[row, outcome, score, decided_by, reason === null ? null : (explanation ?? reason), count].map((value) =>
      String(value ?? ''),
    ),
    ...[parcel?.source, parcel?.source_parcel_id, parcel?.situs_address, parcel?.situs_city, parcel?.situs_zip].map(
      (value) => value ?? '',
    ),
    parcel?.owner_name ?? '',
    outcome === 'tie' ? parcels.map(({ source, source_parcel_id }) => `${source}/${source_parcel_id}`).join('; ') : '',
  ]
}
