import { yieldToOthers } from '../core/concurrency/yield-to-others'
import type { Bbox } from '../core/geometry/bbox'
import type { Candidate, EntityCandidate, ParcelCandidate } from './engine'
import type { Normalization } from './query/normalizations'
import type { SearchParams, SearchRequest } from './query/query'
import { parcelKey } from './query/text'
import type { Bonuses } from './rank/bonuses'
import type { RankField } from './rank/compared-fields'
import { createExplainer, type Explanation } from './rank/explain'
import type { GroupedEntry, OwnerGroup } from './rank/group'
import { highlightId, highlightText } from './rank/highlight'
import type { Ranked } from './rank/ranked'

/** The parts of a score: `text.score` and the bonuses add up to it, to 6 decimals. */
export interface ScoreExplanation {
  text: {
    score: number
    /** Share of the query that was found, 0 to 1. */
    coverage: number
    /** The best match of each query word; `field` is null if no field contains the word. */
    words: { word: string; field: string | null; similarity: number; weight: number }[]
  }
  bonuses: Bonuses
  normalizations: readonly Normalization[]
}

/** Optional parts of a hit. */
export interface Annotations {
  explain?: ScoreExplanation
  /** Matching fields as HTML: each match in `<mark>`, the rest escaped. */
  highlight?: Record<string, string>
  /** For parcels: the center of the box, in degrees; null without geometry. */
  center?: [lon: number, lat: number] | null
  /** For parcels: when the source stopped listing it (ISO 8601, UTC); null if it still lists it. */
  retired_at?: string | null
}

export interface ParcelHit extends Annotations {
  kind: 'parcel'
  source: string
  source_parcel_id: string
  state: string
  county_name: string
  owner_name: string | null
  situs_address: string | null
  situs_city: string | null
  situs_state: string | null
  assessed_value: number | null
  score: number
}

export interface EntityHit extends Annotations {
  kind: 'entity'
  id: string
  jurisdiction: string
  registry_number: string
  name: string
  entity_type: string | null
  status: string | null
  registered_agent_name: string | null
  linked_parcel_count: number
  score: number
}

/** Parcels of one owner. `member_count` is the number of all members, `members` has up to 50, best first, and `bbox` covers all members with a geometry. */
export interface OwnerGroupHit extends Annotations {
  kind: 'owner-group'
  owner_name: string
  member_count: number
  members: ParcelHit[]
  /** The cursor of the other parcels. Null: `members` has all of them. */
  members_next: string | null
  bbox: Bbox | null
  score: number
}

export type SearchHit = ParcelHit | EntityHit | OwnerGroupHit

const formatParcel = (candidate: ParcelCandidate, score: number, annotations: Annotations): ParcelHit => ({
  kind: 'parcel',
  source: candidate.source,
  source_parcel_id: candidate.sourceParcelId,
  state: candidate.state,
  county_name: candidate.countyName,
  owner_name: candidate.ownerName,
  situs_address: candidate.situsAddress,
  situs_city: candidate.situsCity,
  situs_state: candidate.situsState,
  assessed_value: candidate.assessedValue,
  score,
  ...annotations,
})

const formatEntity = (candidate: EntityCandidate, score: number, annotations: Annotations): EntityHit => ({
  kind: 'entity',
  id: candidate.id,
  jurisdiction: candidate.jurisdiction,
  registry_number: candidate.registryNumber,
  name: candidate.name,
  entity_type: candidate.entityType,
  status: candidate.status,
  registered_agent_name: candidate.registeredAgentName,
  linked_parcel_count: candidate.linkedParcelCount,
  score,
  ...annotations,
})

export type Annotate = (ranked: Ranked) => Annotations

/**
 * Creates the function that adds `explain`, `highlight`, `center` and `retired_at` to the hits of one request. It does nothing if none is
 * requested.
 */
export const createAnnotator = (
  request: SearchRequest,
  { explain = false, highlight = false, center = false }: Pick<SearchParams, 'explain' | 'highlight' | 'center'>,
): Annotate => {
  const describeParcel: Annotate = ({ candidate }) =>
    candidate.kind === 'entity'
      ? {}
      : {
          ...(center ? { center: centerOf(candidate) } : {}),
          ...(request.filter.lifecycle === 'all' ? { retired_at: candidate.retiredAt ?? null } : {}),
        }
  if (!explain && !highlight) return describeParcel
  const explainCandidate = createExplainer(request)
  return (ranked) => {
    const explanation = explainCandidate(ranked.candidate)
    return {
      ...(explain ? { explain: formatExplanation(ranked, explanation) } : {}),
      ...(highlight ? { highlight: highlightFields(ranked.candidate, explanation, request) } : {}),
      ...describeParcel(ranked),
    }
  }
}

const centerOf = ({ lon, lat }: ParcelCandidate): [lon: number, lat: number] | null =>
  lon === null || lat === null ? null : [lon, lat]

/** Converts entries to hits, in the same order. `nextMembersOf` returns the `members_next` of a group. */
export const formatHits = async (
  entries: readonly GroupedEntry[],
  annotate: Annotate,
  nextMembersOf: (group: OwnerGroup) => string | null,
): Promise<SearchHit[]> => {
  const hits: SearchHit[] = []
  for (const entry of entries) {
    // Highlighting 50 members takes time, so let other requests run first.
    if (entry.kind === 'group') await yieldToOthers()
    hits.push(
      entry.kind === 'group'
        ? formatGroup(entry.group, annotate, nextMembersOf(entry.group))
        : formatSingle(entry.ranked, annotate),
    )
  }
  return hits
}

export const formatSingle = (ranked: Ranked, annotate: Annotate): SearchHit => {
  const { candidate, score } = ranked
  const annotations = annotate(ranked)
  return candidate.kind === 'parcel'
    ? formatParcel(candidate, score, annotations)
    : formatEntity(candidate, score, annotations)
}

/** A group gets the score and the explanation of its best member. Only the owner's name is highlighted. */
const formatGroup = (
  { members, memberCount, bbox }: OwnerGroup,
  annotate: Annotate,
  membersNext: string | null,
): OwnerGroupHit => {
  const shown = members.map((member) => formatParcel(member.candidate, member.score, annotate(member)))
  const best = shown[0]
  return {
    kind: 'owner-group',
    owner_name: best?.owner_name ?? '',
    member_count: memberCount,
    members: shown,
    members_next: membersNext,
    bbox,
    score: best?.score ?? 0,
    ...(best?.explain === undefined ? {} : { explain: best.explain }),
    ...(best?.highlight === undefined ? {} : { highlight: pickOwnerName(best.highlight) }),
  }
}

const pickOwnerName = ({ owner_name }: Record<string, string>): Record<string, string> =>
  owner_name === undefined ? {} : { owner_name }

/** The API's names of the compared fields. */
const FIELD_NAMES: Record<Candidate['kind'], Partial<Record<RankField, string>>> = {
  parcel: {
    name: 'owner_name',
    nameNormalized: 'owner_name_normalized',
    parcelId: 'source_parcel_id',
    address: 'situs_address',
    city: 'situs_city',
    mailing: 'owner_mailing_address',
  },
  entity: { name: 'name', nameNormalized: 'name_normalized', agent: 'registered_agent_name' },
}

const formatExplanation = (ranked: Ranked, { words, normalizations }: Explanation): ScoreExplanation => ({
  text: {
    score: ranked.text,
    coverage: ranked.coverage,
    words: words.map(({ word, field, similarity, weight }) => ({
      word,
      field: field === null ? null : (FIELD_NAMES[ranked.candidate.kind][field] ?? null),
      similarity,
      weight,
    })),
  },
  bonuses: ranked.bonuses,
  normalizations,
})

const highlightFields = (
  candidate: Candidate,
  { words }: Explanation,
  { parcelKeys }: SearchRequest,
): Record<string, string> => {
  const shown: [name: string, text: string | null, comparedAs: readonly RankField[]][] =
    candidate.kind === 'parcel'
      ? [
          ['owner_name', candidate.ownerName, ['name', 'nameNormalized']],
          ['situs_address', candidate.situsAddress, ['address']],
          ['situs_city', candidate.situsCity, ['city']],
        ]
      : [
          ['name', candidate.name, ['name', 'nameNormalized']],
          ['registered_agent_name', candidate.registeredAgentName, ['agent']],
        ]
  const highlight: Record<string, string> = {}
  for (const [name, text, comparedAs] of shown) {
    const wanted = words.map(({ word, field, done }) => ({
      word,
      done,
      foundHere: field !== null && comparedAs.includes(field),
    }))
    const html = text === null ? null : highlightText(text, wanted)
    if (html !== null) highlight[name] = html
  }
  if (candidate.kind === 'parcel') {
    const { sourceParcelId } = candidate
    // The bonus of an exact id counts in place of a word.
    const isFoundById =
      parcelKeys.includes(parcelKey(sourceParcelId)) || words.some(({ field }) => field === 'parcelId')
    if (isFoundById) highlight.source_parcel_id = highlightId(sourceParcelId, parcelKeys)
  }
  return highlight
}
