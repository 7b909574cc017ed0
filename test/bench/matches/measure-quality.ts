import type { MatchParcelRow } from '../../../drizzle/queries/matches/match-parcels'
import type { ParcelInput } from '../../../drizzle/records'
import { createListMatcher } from '../../../search/match/match-list'
import type { DrawnList, DrawnRow } from './draw-lists'

/** Figures of one list. A figure is null if the list has no such row. */
export interface ListQuality {
  kind: string
  rows: number
  /** The share of rows with `matched` that have the right parcel. */
  precision: number | null
  /** The share of rows that mean one parcel and got it. */
  recall: number | null
  /** The share of rows that mean several parcels and are reported as a tie with all of them. */
  ties: number | null
  /** The rows that went wrong, with their answers. Do not publish those of a real roll. */
  faults: { row: DrawnRow['row']; outcome: string; reason: string | null; meant: string[]; got: string[] }[]
}

export const listParcels = (parcels: readonly ParcelInput[], state: string, countyName: string): MatchParcelRow[] =>
  parcels.map((parcel) => ({
    id: parcel.sourceParcelId,
    source: 'roll',
    sourceParcelId: parcel.sourceParcelId,
    ownerName: parcel.ownerName ?? null,
    situsAddress: parcel.situsAddress ?? null,
    situsCity: parcel.situsCity ?? null,
    situsState: parcel.situsState ?? null,
    situsZip: parcel.situsZip ?? null,
    state,
    countyName,
  }))

export const measureQuality = ({ kind, rows }: DrawnList, parcels: readonly MatchParcelRow[]): ListQuality => {
  const matcher = createListMatcher(rows.map(({ row }) => row))
  for (const parcel of parcels) matcher.see(parcel)
  let [matched, right, single, found, several, told] = [0, 0, 0, 0, 0, 0]
  const faults: ListQuality['faults'] = []
  for (const [index, { row, meant }] of rows.entries()) {
    const { outcome, reason, candidates, count } = matcher.decide(index)
    const got = candidates.map(({ candidate }) => candidate.parcel.id)
    const isRight = outcome === 'matched' && meant.size === 1 && meant.has(got[0] ?? '')
    const isTold = outcome === 'tie' && (count > got.length || [...meant].every((id) => got.includes(id)))
    if (outcome === 'matched') matched++
    if (isRight) right++
    if (meant.size === 1) {
      single++
      if (isRight) found++
    } else if (meant.size > 1) {
      several++
      if (isTold) told++
    }
    const isFine = meant.size === 0 ? outcome === 'no_match' : meant.size === 1 ? isRight : isTold
    if (!isFine) faults.push({ row, outcome, reason, meant: [...meant].slice(0, 5), got: got.slice(0, 5) })
  }
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
  return {
    kind,
    rows: rows.length,
    precision: share(right, matched),
    recall: share(found, single),
    ties: share(told, several),
    faults,
  }
}
