import { expect, test } from 'bun:test'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { NO_STATES, type StateSet } from '../../core/state-set'
import { createBudget } from '../../search/budget'
import type { Pool } from '../../search/engine'
import { MATCH_LEVELS, type MatchLevel, parseQuery } from '../../search/query/query'
import type { Ranked } from '../../search/rank/ranked'
import { createRetrieval, type SearchedInstance } from '../../search/retrieve/retrieve'
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

/** An instance of Meilisearch with these states that finds nothing. */
const emptyInstance = (states: StateSet, live: SearchedInstance['live'], isComplete: boolean): SearchedInstance => ({
  instance: { url: 'http://localhost', masterKey: null, states },
  engine: { findCandidates: async (): Promise<Pool> => ({ candidates: [], isComplete }), isWell: async () => true },
  live,
})

test('if PostgreSQL answers for one instance, the others are still searched at the next level', async () => {
  const oregon = { codes: ['OR'], isExcept: false }
  const others = { codes: ['OR'], isExcept: true }
  const unknown = emptyInstance(oregon, () => Promise.reject(new Error('does not answer')), true)
  const whole = emptyInstance(others, async () => ({ states: others, isClean: true }), false)
  const postgres = { findCandidates: async (): Promise<Pool> => ({ candidates: [], isComplete: true }) }
  const [reading] = readings
  if (reading === undefined) throw new Error('a query has a reading')
  for (const instances of [
    [unknown, whole],
    [whole, unknown],
  ]) {
    const retrieve = createRetrieval(instances, postgres, { postgresMs: 60_000, onHealthChange: () => {} })
    const found = await retrieve(reading, { id: '' }, createBudget(60_000))
    // PostgreSQL found all of its states, Meilisearch only some candidates.
    expect(found).toEqual({ candidates: [], degraded: oregon, isExhausted: false, isComplete: false })
  }
})
