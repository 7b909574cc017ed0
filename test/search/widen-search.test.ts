import { expect, test } from 'bun:test'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { NO_STATES } from '../../core/state-set'
import { createBudget } from '../../search/budget'
import { MATCH_LEVELS, type MatchLevel, parseQuery } from '../../search/query/query'
import type { Ranked } from '../../search/rank/ranked'
import { widenSearch } from '../../search/widen-search'

const readings = parseQuery({
  q: 'jonse alder',
  limit: 20,
  types: ['parcels'],
  filter: LISTED_PARCELS,
  lat: null,
  lon: null,
  proximityKm: 50,
  group: null,
})
/** A hit that covers half of the query, so that a search with time left continues. */
const WEAK = { coverage: 0.5, bonuses: { exact_parcel_id: 0 } } as Ranked

/** Widens a search that is late from the start. `foundAt`: the level at which it finds its weak hit. */
const widenLate = async (foundAt: MatchLevel) => {
  const tried: MatchLevel[] = []
  const steps = { readings, levels: MATCH_LEVELS, budget: createBudget(), wideningMs: -1, isFixed: false }
  const { found } = await widenSearch('jonse alder', steps, async (request) => {
    tried.push(request.matchLevel)
    const ranked = request.matchLevel === foundAt ? [WEAK] : []
    return { request, candidates: [], ranked, isComplete: true, degraded: NO_STATES, isExhausted: false }
  })
  return { tried, isFound: found !== null }
}

test('a search that is late continues until it has a hit', async () => {
  expect(await widenLate('relaxed')).toEqual({ tried: ['strict', 'relaxed'], isFound: true })
  expect(await widenLate('fuzzy')).toEqual({ tried: ['strict', 'relaxed', 'fuzzy'], isFound: true })
})

test('a search that is late takes a weak hit', async () => {
  expect(await widenLate('strict')).toEqual({ tried: ['strict'], isFound: true })
})
