import type { CandidateFieldName, StoredValues } from '../core/parcels/fields'
import type { SearchRequest } from './query/query'

/** A parcel that may be a hit: the fields that ranking compares and hits show. `lon` and `lat` are the center of its box. */
export interface ParcelCandidate extends StoredValues<CandidateFieldName> {
  kind: 'parcel'
  id: string
  source: string
  sourceParcelId: string
  state: string
  countyName: string
  lon: number | null
  lat: number | null
  /** The owners of its accounts, one per line. Null or absent: it has none. */
  accountOwners?: string | null
  /** Whether `ownerName` is the owner of one of its accounts, and not its own. */
  isOfAccount?: boolean
  /** ISO 8601, UTC. Null or absent: its source still lists it. */
  retiredAt?: string | null
}

/** A registry entity that may be a hit. */
export interface EntityCandidate {
  kind: 'entity'
  id: string
  jurisdiction: string
  registryNumber: string
  name: string
  entityType: string | null
  status: string | null
  registeredAgentName: string | null
  linkedParcelCount: number
}

export type Candidate = ParcelCandidate | EntityCandidate

/** `isComplete`: these are all candidates that match. Otherwise there may be more. */
export interface Pool {
  candidates: Candidate[]
  isComplete: boolean
}

/**
 * Finds candidates and does not rank them: one instance of Meilisearch, or PostgreSQL. It applies the request's filter. It must include
 * every exact parcel id, and near matches when a place is given, even if thousands match the words. No duplicates. For a request with
 * `isDeep`, it returns the candidates of the same request without `isDeep`, and up to some thousand more.
 */
export interface SearchEngine {
  /**
   * @param stop ends the search early; the engine may abort it after `timeoutMs`
   * @throws ServiceError `search_unavailable` when the server behind it is down, busy, has found nothing after `timeoutMs`, or `stop` is aborted
   */
  findCandidates(request: SearchRequest, timeoutMs: number, stop?: AbortController): Promise<Pool>
}
