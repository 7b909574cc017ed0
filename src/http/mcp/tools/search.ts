import { Type } from '@sinclair/typebox'
import { LISTED_PARCELS } from '../../../../core/parcels/filter'
import { countNoun } from '../../../../core/text/count-noun'
import { decodeCursor } from '../../../../search/cursor'
import type { SearchHit } from '../../../../search/hits'
import { hashSearch, type SearchParams } from '../../../../search/query/query'
import { HttpError } from '../../convention/errors'
import { parseState } from '../../convention/parameters/parse-state'
import { quote } from '../answer'
import { pageOf } from '../describe-parcel'
import { after, closedInput, limit, source, state } from '../schemas'
import { defineTool } from '../tool'

export const searchTool = defineTool({
  name: 'search',
  title: 'Search parcels and companies',
  description:
    'Finds parcels by owner, address or parcel id, and companies of business registries by name or registered agent. Tolerates typos and parts of words. Best first. For all parcels of one owner use owners_parcels, for all fields of a hit use parcel.',
  needs: 'read',
  input: closedInput({
    query: Type.String({
      minLength: 2,
      maxLength: 200,
      description: 'Owner, address, parcel id, company or its agent.',
    }),
    kind: Type.Optional(
      Type.Union([Type.Literal('parcels'), Type.Literal('companies')], { description: 'Only this kind of hit.' }),
    ),
    state: Type.Optional(state),
    source: Type.Optional(source),
    limit: Type.Optional(limit(25, 10)),
    after: Type.Optional(after),
  }),
  call: async (input, { deps, caller }) => {
    const q = input.query.trim()
    if ([...q].length < 2) throw new HttpError(400, 'query must have at least 2 characters')
    const params: SearchParams = {
      q,
      limit: input.limit ?? 10,
      types: typesOf(input),
      filter: { ...LISTED_PARCELS, state: parseState(input.state), source: input.source ?? null },
      lat: null,
      lon: null,
      proximityKm: 50,
      group: null,
    }
    const cursor = input.after === undefined ? null : decodeCursor(input.after, hashSearch(params))
    if (input.after !== undefined && cursor === null)
      throw new HttpError(400, 'after must be from a response to the same search')
    const { hits, total, isTotalExact, next, corrected } = await deps.search.search(
      { ...params, after: cursor },
      caller,
    )
    if (hits.length === 0)
      return { lines: [`No hits for ${quote(q)}. Try fewer words, or coverage to see which counties there are.`] }
    const found = isTotalExact ? countNoun(total, 'hit') : `At least ${countNoun(total, 'hit')}`
    return {
      lines: [
        `${found} for ${quote(q)}; ${hits.length} shown.`,
        ...(corrected === null ? [] : [`The query was read as ${quote(corrected)}.`]),
        ...(next === null ? [] : [`More: narrow by state, source or kind, or call again with after=${quote(next)}.`]),
      ],
      records: hits.map((hit) => describe(hit, deps.baseUrl)),
    }
  },
})

/** Companies belong to no source, so a search in a source returns only parcels. */
const typesOf = ({ kind, source }: { kind?: 'parcels' | 'companies'; source?: string }): SearchParams['types'] => {
  if (kind === 'companies') return ['entities']
  return kind === 'parcels' || source !== undefined ? ['parcels'] : ['parcels', 'entities']
}

const describe = (hit: SearchHit, baseUrl: string): object => {
  if (hit.kind === 'owner-group') return { kind: 'owner', owner: hit.owner_name, parcels: hit.member_count }
  if (hit.kind === 'entity') {
    const { jurisdiction, registry_number, name, entity_type, status, registered_agent_name, linked_parcel_count } = hit
    const agent = registered_agent_name
    return {
      kind: 'company',
      name,
      jurisdiction,
      registry_number,
      entity_type,
      status,
      agent,
      parcels: linked_parcel_count,
    }
  }
  return {
    kind: 'parcel',
    source: hit.source,
    source_parcel_id: hit.source_parcel_id,
    owner: hit.owner_name,
    address: hit.situs_address,
    city: hit.situs_city,
    county: hit.county_name,
    state: hit.state,
    assessed_value_usd: hit.assessed_value,
    page: pageOf(baseUrl, hit.source, hit.source_parcel_id),
  }
}
