import type { RowCandidate, RowQuery } from './row-query'

const rankOf = ({ idWorth, address, owner, isAtPoint }: RowCandidate): number =>
  idWorth > 0
    ? -idWorth
    : Math.min((address ?? 1) - (owner === null ? 0 : 0.1), (owner ?? 1) + 0.1, isAtPoint ? 0.2 : 1)

const routeOf = ({ idWorth, address, isAtPoint }: RowCandidate): keyof RowQuery['dropped'] => {
  if (idWorth > 0) return 'parcel_id'
  if (address !== null) return 'address'
  return isAtPoint ? 'point' : 'owner'
}

/** Adds a candidate to its row. When there are twice as many as `most`, only the best ones stay. */
export const keep = (query: RowQuery, most: number, candidate: RowCandidate): void => {
  const { candidates } = query
  candidates.push(candidate)
  if (candidates.length < 2 * most) return
  candidates.sort((a, b) => rankOf(a) - rankOf(b))
  const best = rankOf(candidates[0] as RowCandidate)
  for (const one of candidates.splice(most)) {
    const isTied = rankOf(one) <= best || (one.leftOut === 'unit' && query.owner === null)
    if (isTied) query.dropped[routeOf(one)]++
  }
}
