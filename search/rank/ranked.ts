import type { Candidate } from '../engine'
import type { Bonuses } from './bonuses'

/** A candidate with its score: the sum of the text score and the bonuses, to 6 decimals. */
export interface Ranked<Kind extends Candidate = Candidate> {
  candidate: Kind
  score: number
  text: number
  /** The candidate's share of the query's trigrams. */
  coverage: number
  bonuses: Bonuses
  /** These order candidates with equal scores (order.ts, closeness.ts). */
  closeness: number
  /** The number of parcels of its owner, if there are many and its name begins with the query. */
  ownedParcels: number
  compactness: number
  /** It was found by its id. */
  isId: boolean
  /** The words that it was compared with, if they are a correction. Null: they are the typed ones, or it matched as an id. */
  correction: readonly string[] | null
}
