import { type DecidingField, ID_WORTH, type RowCandidate, type RowQuery, type Surroundings } from './row-query'

export const MATCH_OUTCOMES = ['matched', 'tie', 'no_match', 'invalid'] as const
export type MatchOutcome = (typeof MATCH_OUTCOMES)[number]

/** Why a row has no single parcel. */
export const MATCH_REASONS = {
  nothing_to_match: 'The row has no parcel id, address, owner or point.',
  not_a_point: 'The coordinates are not a longitude and a latitude in degrees.',
  not_an_address: 'The address is a PO box or has no street.',
  several_parcels: 'Several parcels match equally well.',
  fields_disagree: 'The parcel id and the address belong to different parcels.',
  unsure: 'A parcel is similar, but not similar enough.',
  no_such_id: 'No current parcel has this id.',
  no_such_street: 'No street has a similar name.',
  no_such_number: 'The street is known, but no parcel on it has this house number.',
  parts_differ: 'A parcel has this street and number, but another direction, unit, city or ZIP code.',
  no_such_owner: 'No parcel has a similar owner.',
  no_parcel_at_point: 'No parcel boundary contains the point.',
} as const
export type MatchReason = keyof typeof MATCH_REASONS

export interface Decision {
  outcome: MatchOutcome
  /** Null: matched. */
  reason: MatchReason | null
  decidedBy: DecidingField | null
  /** 0 to 1. Null if nothing is similar. */
  score: number | null
  /** The match, the kept candidates of a tie (best first), or parcels similar to a row without a match. */
  candidates: readonly { candidate: RowCandidate; score: number }[]
  /** The number of candidates, including those that are not kept. */
  count: number
}

/**
 * Whether only an equal parcel could match as well: the whole id is equal, or the whole address except its unit. `isProbed`: an index was
 * asked for all parcels with the row's address.
 */
export const isExactDecision = (
  { row, owner, address }: RowQuery,
  { outcome, decidedBy, candidates, count }: Decision,
  isProbed: boolean,
): boolean => {
  if (outcome === 'invalid') return true
  const [best] = candidates
  if (best === undefined || count > candidates.length || outcome === 'no_match') return false
  if (decidedBy === 'parcel_id') {
    // A parcel with a similar address may contradict the id, and an index does not find it.
    const isContradicted = address !== null && candidates.every(({ candidate }) => isUnlike(candidate))
    return best.candidate.idWorth >= ID_WORTH.whole && !isContradicted
  }
  const isExactAddress = candidates.every(({ candidate }) => hasWholeAddress(candidate))
  if (decidedBy !== 'address' || !isProbed || !isExactAddress || row.parcel_id !== undefined) return false
  return owner === null || (address !== null && outcome === 'matched' && best.candidate.owner !== null)
}

/** Nothing of the address differs, except that the list may omit the unit. */
const hasWholeAddress = ({ address, leftOut }: RowCandidate): boolean => address === 0 || leftOut === 'unit'

/** Neither the address nor the owner is similar. */
const isUnlike = ({ address, owner }: RowCandidate): boolean => address === null && owner === null

/** A candidate with a higher cost is no match. */
const MOST_COST = 0.25
/** Candidates within this margin of the best one count as equally good. */
const MARGIN = 0.05
const MARGIN_OF_OWNERS = 0.025
const EXACT = 0.005
/** Taken off the cost of an address if the owner matches, and added to it if the owner differs and the address is not exact. */
const OWNER_AGREES = 0.12
const OWNER_DIFFERS = 0.06
/** Added if the same city has a street that the row more likely means. */
const LIKELIER_STREET = 0.2
/** An address with up to this cost contradicts an id. */
const CERTAIN = 0.06
const NEAR_NUMBER = 0.2
const ID_COST: Readonly<Record<number, number>> = {
  [ID_WORTH.exact]: 0,
  [ID_WORTH.whole]: 0,
  [ID_WORTH.grouped]: 0.02,
  [ID_WORTH.short]: 0.05,
}
/** How many similar parcels are listed for a row without a match. */
const MAX_SIMILAR = 3

interface Weighed {
  candidate: RowCandidate
  cost: number
}

export const decideRow = (query: RowQuery, surroundings: Surroundings): Decision => {
  const { idSpellings, address, owner, point, candidates } = query
  if (idSpellings === null && address === null && owner === null && (point === null || point === 'invalid')) {
    const isPoBox = query.row.address !== undefined
    const reason = point === 'invalid' ? 'not_a_point' : isPoBox ? 'not_an_address' : 'nothing_to_match'
    return { outcome: 'invalid', reason, decidedBy: null, score: null, candidates: [], count: 0 }
  }
  const byAddress = weigh(candidates, (one) => costOfAddress(query, one, surroundings))
  return (
    decideById(query, byAddress) ??
    decideByAddress(query, byAddress, surroundings) ??
    decideByOwner(query) ??
    decideByPoint(query) ??
    createNoMatch(query, byAddress)
  )
}

const weigh = (candidates: readonly RowCandidate[], costOf: (one: RowCandidate) => number | null): Weighed[] =>
  candidates
    .flatMap((candidate) => {
      const cost = costOf(candidate)
      return cost === null ? [] : [{ candidate, cost }]
    })
    .sort((a, b) => a.cost - b.cost)

/** Whether the row has an owner that is not also read as its address. */
const hasOwnOwner = ({ owner, row }: RowQuery): boolean => owner !== null && row.owner !== undefined

const costOfAddress = (query: RowQuery, candidate: RowCandidate, { likelierStreet }: Surroundings): number | null => {
  if (candidate.address === null) return null
  const asWritten = candidate.address + (likelierStreet(query, candidate) === null ? 0 : LIKELIER_STREET)
  if (!hasOwnOwner(query) || candidate.parcel.ownerName === null) return asWritten
  if (candidate.owner !== null) return Math.max(0, asWritten - OWNER_AGREES)
  return asWritten > MARGIN ? asWritten + OWNER_DIFFERS : asWritten
}

const decideById = (query: RowQuery, byAddress: readonly Weighed[]): Decision | null => {
  const worth = Math.max(0, ...query.candidates.map(({ idWorth }) => idWorth))
  if (worth === 0) return null
  const cost = ID_COST[worth] ?? 0
  const same = query.candidates.filter(({ idWorth }) => idWorth === worth).map((candidate) => ({ candidate, cost }))
  const certain = byAddress.filter(({ candidate, cost }) => cost <= CERTAIN && candidate.idWorth < worth)
  const contradicted = same.every(({ candidate }) => isUnlike(candidate))
  if (certain.length > 0 && contradicted) {
    return createTie([...same, ...certain], 'parcel_id', 'fields_disagree', query.dropped.parcel_id)
  }
  return settle(query, same, 'parcel_id')
}

const decideByAddress = (query: RowQuery, weighed: readonly Weighed[], surroundings: Surroundings): Decision | null => {
  const { isLoneHouse } = surroundings
  const [best] = weighed
  if (best === undefined) return null
  if (best.cost > MOST_COST) return tieOfOtherSuffix(query, weighed, surroundings)
  if (best.cost > EXACT) {
    return settle(
      query,
      weighed.filter(({ cost }) => cost <= best.cost + MARGIN),
      'address',
    )
  }
  const exact = weighed.filter(({ cost }) => cost <= EXACT)
  if (hasOwnOwner(query)) {
    // The owner makes up for small differences of an address, but not beside the whole address of the same owner.
    const whole = exact.filter(({ candidate }) => candidate.owner !== null && hasWholeAddress(candidate))
    return settle(query, whole.length > 0 ? whole : exact, 'address')
  }
  const isSlip = exact.every(({ candidate }) => isLoneHouse(candidate))
  const alsoMeant = weighed.filter(
    ({ candidate, cost }) =>
      cost > EXACT &&
      (candidate.leftOut === 'unit' ||
        (candidate.leftOut === 'part of the street' && isSlip && !isLoneHouse(candidate))),
  )
  return settle(query, [...exact, ...alsoMeant], 'address')
}

/** The street as written has no such number, but several parcels have that number on a street with another suffix. */
const tieOfOtherSuffix = (
  query: RowQuery,
  weighed: readonly Weighed[],
  { likelierStreet }: Surroundings,
): Decision | null => {
  const others = weighed.filter(
    ({ candidate, cost }) => likelierStreet(query, candidate) === 'suffix' && cost <= MOST_COST + LIKELIER_STREET,
  )
  const [best] = others
  if (best === undefined) return null
  const equal = others.filter(({ cost }) => cost <= best.cost + MARGIN)
  return equal.length > 1 ? createTie(equal, 'address', 'several_parcels', query.dropped.address) : null
}

const decideByOwner = (query: RowQuery): Decision | null => {
  if (query.owner === null) return null
  if (query.address !== null && hasOwnOwner(query)) {
    // The owner has a parcel on this street, and the house number may have a typo.
    const near = weigh(query.candidates, ({ isNearNumber, owner }) => (isNearNumber && owner !== null ? owner : null))
    const [first] = near
    return near.length === 1 && first !== undefined && first.cost <= CERTAIN
      ? createMatch({ ...first, cost: first.cost + NEAR_NUMBER }, 'owner')
      : null
  }
  const weighed = weigh(query.candidates, ({ owner, parcel }) =>
    owner === null ? null : owner + costOfPlace(query, parcel),
  )
  const [best] = weighed
  if (best === undefined || best.cost > MOST_COST) return null
  const most = best.cost <= EXACT ? EXACT : best.cost + MARGIN_OF_OWNERS
  return settle(
    query,
    weighed.filter(({ cost }) => cost <= most),
    'owner',
  )
}

/** A city next to an owner may be the owner's mailing city. */
const costOfPlace = ({ zip, city, row }: RowQuery, { situsZip, situsCity }: RowCandidate['parcel']): number => {
  if (zip !== '' && situsZip !== null) return situsZip.startsWith(zip) ? 0 : 0.06
  if (city !== '' && situsCity !== null) return situsCity.toLowerCase() === row.city?.trim().toLowerCase() ? 0 : 0.06
  return 0
}

const decideByPoint = (query: RowQuery): Decision | null => {
  if (query.idSpellings !== null || query.address !== null || query.owner !== null) return null
  const there = weigh(query.candidates, ({ isAtPoint }) => (isAtPoint ? 0 : null))
  return there.length === 0 ? null : settle(query, there, 'point')
}

/** A single candidate is the match. If there are several, another field of the row may decide. */
const settle = (query: RowQuery, equal: readonly Weighed[], field: DecidingField): Decision | null => {
  const [first] = equal
  if (first === undefined) return null
  const dropped = query.dropped[field]
  if (equal.length === 1 && dropped === 0) return createMatch(first, field)
  const deciders: [DecidingField, (one: RowCandidate) => boolean][] = [
    ['address', ({ address }) => address !== null && address <= MARGIN],
    ['owner', ({ owner }) => owner !== null],
    ['owner', ({ owner }) => owner === 0],
    ['point', ({ isAtPoint }) => isAtPoint],
  ]
  for (const [decider, agrees] of deciders) {
    if (decider === field && field !== 'owner') continue
    const agreeing = equal.filter(({ candidate }) => agrees(candidate))
    if (decider !== field && agreeing.length === 1 && agreeing[0] !== undefined && dropped === 0) {
      return createMatch(agreeing[0], decider)
    }
  }
  return createTie(equal, field, 'several_parcels', dropped)
}

const scoreOf = (cost: number): number => Math.round(1_000 * Math.max(0, 1 - cost)) / 1_000

const scored = (weighed: readonly Weighed[]): Decision['candidates'] =>
  weighed.map(({ candidate, cost }) => ({ candidate, score: scoreOf(cost) }))

const createMatch = (one: Weighed, decidedBy: DecidingField): Decision => ({
  outcome: 'matched',
  reason: null,
  decidedBy,
  score: scoreOf(one.cost),
  candidates: scored([one]),
  count: 1,
})

const createTie = (
  equal: readonly Weighed[],
  decidedBy: DecidingField,
  reason: MatchReason,
  dropped: number,
): Decision => ({
  outcome: 'tie',
  reason,
  decidedBy,
  score: scoreOf(equal[0]?.cost ?? 1),
  candidates: scored(equal),
  count: equal.length + dropped,
})

const createNoMatch = (query: RowQuery, byAddress: readonly Weighed[]): Decision => {
  const similar = byAddress.slice(0, MAX_SIMILAR)
  return {
    outcome: 'no_match',
    reason: reasonOf(query, similar),
    decidedBy: null,
    score: similar[0] === undefined ? null : scoreOf(similar[0].cost),
    candidates: scored(similar),
    count: similar.length,
  }
}

const reasonOf = ({ address, owner, idSpellings, seen }: RowQuery, similar: readonly Weighed[]): MatchReason => {
  if (similar.length > 0) return 'unsure'
  if (address !== null) {
    if (seen.number) return 'parts_differ'
    return seen.street ? 'no_such_number' : 'no_such_street'
  }
  if (owner !== null) return 'no_such_owner'
  return idSpellings === null ? 'no_parcel_at_point' : 'no_such_id'
}
