import type { CandidateFieldName, StoredValues } from '../core/parcel-fields'
import type { SearchRequest } from './query/query'

/** A parcel that may be an answer: what ranking compares and a hit shows. `lon` and `lat` are the centre of its box. */
export interface ParcelCandidate extends StoredValues<CandidateFieldName> {
  kind: 'parcel'
  id: string
  source: string
  sourceParcelId: string
  state: string
  countyName: string
  lon: number | null
  lat: number | null
}

/** A registry entity that may be an answer. */
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

/**
 * Finds candidates; ranking is not its business. It narrows by state, source and zoning, and must bring along: every exact
 * parcel id, and near matches when a place is given, even when thousands match the words alone. No candidate twice.
 */
export interface SearchEngine {
  /**
   * @throws ServiceError `search_unavailable` when the server behind it is away, busy, has found nothing after `timeoutMs`, or
   * `signal` is aborted
   */
  findCandidates(request: SearchRequest, timeoutMs: number, signal?: AbortSignal): Promise<Candidate[]>
}
