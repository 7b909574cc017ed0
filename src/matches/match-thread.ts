import { LIST_BOUNDS } from '../../core/bounds'
import { serveTask } from '../../core/concurrency/tasks'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import {
  countMatchParcels,
  listMatchParcels,
  listParcelsAtPoints,
  type MatchScope,
  readMatchParcels,
} from '../../drizzle/queries/matches/match-parcels'
import { addMatchRows, deleteMatchRows, listMatchInputs, type MatchRow } from '../../drizzle/queries/matches/match-rows'
import { findMatchInput, type MatchInput } from '../../drizzle/queries/matches/matches'
import { findUpload } from '../../drizzle/queries/matches/uploads'
import { lockWork } from '../../drizzle/queries/work/advance-work'
import { type Decision, MATCH_REASONS, type MatchOutcome } from '../../search/match/decide'
import { type ListRow, readState } from '../../search/match/list-row'
import { createListMatcher, type ListMatcher } from '../../search/match/match-list'
import { polygonMeetsBox } from '../parcels/geometry/polygon-meets-box'
import type { MatchProgress, MatchThread } from './compare-list'
import { columnsOf, readList, type SentRow, toListRow } from './read-list'

/*
 * The thread that compares one list with the parcels. A separate thread never blocks the event loop of the process, whatever the size
 * of the list and the number of parcels, and can be terminated at any time.
 */

const POINTS_AT_A_TIME = 500
const ROWS_AT_A_TIME = 2_000
/** The rows of a small list are looked up one by one, and all parcels are read only for rows without an exact match. */
const MAX_ROWS_BY_INDEX = 1_000
const PROBES_AT_A_TIME = 50
/** Garbage is collected each time this many parcels were parsed. Otherwise the heap grows to four times the memory in use. */
const PARCELS_A_COLLECTION = 25_000

interface ReadRow extends SentRow {
  list: ListRow
}

const compareList = async (
  { databaseUrl, id, attempt }: MatchThread['task'],
  onProgress: (progress: MatchProgress) => void,
): Promise<Record<MatchOutcome, number>> => {
  const sql = connectDatabase(databaseUrl, { max: 2, applicationName: 'match', probed: true })
  try {
    const input = await findMatchInput(sql, id)
    if (input === null) throw new ServiceError('not_found', 'the list was deleted')
    const rows = await readRows(sql, input)
    const scope = scopeOf(input, rows)
    const decisions = new Map<number, Decision>()
    if (rows.length <= MAX_ROWS_BY_INDEX) await decideByIndexes(sql, scope, rows, decisions)
    const open = [...rows.keys()].filter((place) => !decisions.has(place))
    const parcels = open.length === 0 ? 0 : await countMatchParcels(sql, scope)
    const total = parcels + rows.length
    let done = 0
    const report = (more: number) => {
      done = Math.min(total, done + more)
      onProgress({ done, total, rows: rows.length })
    }
    report(0)
    const matcher = createListMatcher(open.map((place) => (rows[place] as ReadRow).list))
    if (open.length > 0) await compareAll(sql, scope, matcher, report)
    const byPlace = new Map(open.map((place, index) => [place, index]))
    const decide = (place: number): Decision => decisions.get(place) ?? matcher.decide(byPlace.get(place) ?? 0)
    return await storeAnswers(sql, { id, attempt }, rows, decide, report)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Decides the rows of a small list that indexes can decide: whole ids, exact addresses and points. */
const decideByIndexes = async (
  sql: Sql,
  scope: MatchScope,
  rows: readonly ReadRow[],
  decisions: Map<number, Decision>,
): Promise<void> => {
  const matcher = createListMatcher(rows.map(({ list }) => list))
  const seen = new Set<string>()
  for (let start = 0; start < rows.length; start += PROBES_AT_A_TIME) {
    const probes = rows.slice(start, start + PROBES_AT_A_TIME).map((_, index) => matcher.probe(start + index))
    const asked = probes.filter(({ idKey, addressPatterns }) => idKey !== null || addressPatterns.length > 0)
    for (const parcel of (await Promise.all(asked.map((probe) => listMatchParcels(sql, scope, probe)))).flat()) {
      if (seen.has(parcel.id)) continue
      seen.add(parcel.id)
      matcher.see(parcel)
    }
  }
  await lookUpPoints(sql, scope, matcher)
  for (const place of rows.keys()) {
    const decision = matcher.decide(place)
    if (matcher.isExact(place, decision)) decisions.set(place, decision)
  }
}

/** Passes all parcels in scope to the matcher. */
const compareAll = async (
  sql: Sql,
  scope: MatchScope,
  matcher: ListMatcher,
  report: (parcels: number) => void,
): Promise<void> => {
  let uncollected = 0
  for await (const batch of readMatchParcels(sql, scope)) {
    for (const parcel of batch) matcher.see(parcel)
    report(batch.length)
    uncollected += batch.length
    if (uncollected < PARCELS_A_COLLECTION) continue
    uncollected = 0
    Bun.gc(true)
  }
  await lookUpPoints(sql, scope, matcher)
}

/** The rows of the upload, or those of an earlier match. */
const readRows = async (sql: Sql, input: MatchInput): Promise<ReadRow[]> => {
  if (input.retryOf !== null) {
    const again = await listMatchInputs(sql, input.retryOf, input.outcomes)
    if (again.length === 0) throw new ServiceError('not_found', 'the rows to try again have expired')
    const columns = columnsOf([...new Set(again.flatMap((row) => Object.keys(row.input)))], input.columns)
    return again.map((row) => toReadRow({ ...row, problem: null }, columns))
  }
  const upload = input.upload === null ? null : await findUpload(sql, input.upload)
  if (upload === null) throw new ServiceError('not_found', 'the upload has expired: send the list again')
  const list = await readList(upload.content, upload.format)
  const missing = Object.keys(input.columns ?? {}).find((name) => !list.columns.includes(name))
  if (missing !== undefined) {
    throw new ServiceError(
      'bad_input',
      `columns names "${missing}", but the list has ${list.columns.slice(0, 10).join(', ')}`,
    )
  }
  const columns = columnsOf(list.columns, input.columns)
  if (list.rows.length === 0) throw new ServiceError('bad_input', 'the list has no rows')
  if (Object.keys(columns).length === 0) {
    throw new ServiceError(
      'bad_input',
      `no column is known: name them in columns (${list.columns.slice(0, 10).join(', ')})`,
    )
  }
  return list.rows.map((row) => toReadRow(row, columns))
}

const toReadRow = (sent: SentRow, columns: Readonly<Record<string, string>>): ReadRow => {
  if (sent.problem !== null) return { ...sent, list: {} }
  const { row, problem } = toListRow(sent.input, columns)
  return { ...sent, problem, list: row }
}

/** If every row has a state, parcels of other states are not read. */
const scopeOf = ({ state, county, source }: MatchInput, rows: readonly ReadRow[]): MatchScope => {
  const states = new Set(rows.map(({ list }) => (list.state === undefined ? null : readState(list.state))))
  return { state, county, source, states: states.has(null) ? null : [...states].filter((one) => one !== null) }
}

const lookUpPoints = async (sql: Sql, scope: MatchScope, matcher: ListMatcher): Promise<void> => {
  for (let start = 0; start < matcher.points.length; start += POINTS_AT_A_TIME) {
    const points = matcher.points.slice(start, start + POINTS_AT_A_TIME)
    const byRow = new Map(points.map(({ row, point }) => [row, point]))
    const asked = points.map(({ row, point: { lon, lat } }) => ({ row, lon, lat }))
    for (const { row, geom, ...parcel } of await listParcelsAtPoints(sql, scope, asked)) {
      const point = byRow.get(row)
      if (point === undefined || geom === null) continue
      const { lon, lat } = point
      if (polygonMeetsBox(geom, [lon, lat, lon, lat])) matcher.seeAtPoint(row, parcel)
    }
  }
}

/** Stores the results, if this attempt is still the current one. */
const storeAnswers = async (
  sql: Sql,
  work: { id: string; attempt: number },
  rows: readonly ReadRow[],
  decide: (place: number) => Decision,
  report: (rows: number) => void,
): Promise<Record<MatchOutcome, number>> => {
  const counts: Record<MatchOutcome, number> = { matched: 0, tie: 0, no_match: 0, invalid: 0 }
  for (let start = 0; start === 0 || start < rows.length; start += ROWS_AT_A_TIME) {
    const answered = rows.slice(start, start + ROWS_AT_A_TIME).map((row, index): MatchRow => {
      const decision = decide(start + index)
      const outcome = row.problem === null ? decision.outcome : 'invalid'
      counts[outcome]++
      const answer = row.problem === null ? describe(decision) : describeProblem(row.problem)
      return { row: row.row, outcome, input: JSON.stringify(row.input), answer: JSON.stringify(answer) }
    })
    await sql.begin(async (tx) => {
      if ((await lockWork(tx, work)) === null) throw new ServiceError('cancelled', 'the match was cancelled')
      if (start === 0) await deleteMatchRows(tx, work.id)
      await addMatchRows(tx, work.id, answered)
    })
    report(answered.length)
  }
  return counts
}

const describeProblem = (problem: string) => ({
  reason: 'unreadable',
  explanation: problem,
  decided_by: null,
  score: null,
  count: 0,
  parcels: [],
})

const describe = ({ outcome, reason, decidedBy, score, candidates, count }: Decision) => ({
  reason,
  explanation: reason === null ? null : MATCH_REASONS[reason],
  decided_by: decidedBy,
  score,
  count: outcome === 'no_match' ? 0 : count,
  parcels: candidates.slice(0, LIST_BOUNDS.candidates).map(({ candidate: { parcel }, score: own }) => ({
    source: parcel.source,
    source_parcel_id: parcel.sourceParcelId,
    situs_address: parcel.situsAddress,
    situs_city: parcel.situsCity,
    situs_zip: parcel.situsZip,
    owner_name: parcel.ownerName,
    score: own,
  })),
})

serveTask<MatchThread>((task, { report }) => compareList(task, report))
