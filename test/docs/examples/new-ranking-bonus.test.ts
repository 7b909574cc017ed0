import { expect, test } from 'bun:test'
import { LISTED_PARCELS } from '../../../core/parcels/filter'
import type { ParcelCandidate } from '../../../search/engine'
import { copySource } from './source-copy'

const source = copySource()

const parcel = (id: string, assessedValue: number | null): ParcelCandidate => ({
  kind: 'parcel',
  id,
  source: 'elm',
  sourceParcelId: id,
  state: 'OR',
  countyName: 'Elm',
  ownerName: 'MARLOWE ROSE',
  ownerMailingAddress: null,
  situsAddress: null,
  situsCity: null,
  situsState: 'OR',
  situsZip: null,
  assessedValue,
  lon: null,
  lat: null,
})

test('a new ranking signal takes one file: it is ranked by, explained, and in the API document', async () => {
  source.edit('search/rank/bonuses.ts', [
    '} satisfies Record<string, Bonus>',
    `  known_value: {
    description: 'For a known assessed value.',
    example: 0.25,
    of: (_, { candidate }) => (candidate.kind === 'parcel' && candidate.assessedValue !== null ? 0.25 : 0),
  },
} satisfies Record<string, Bonus>`,
  ])
  expect(source.listChanges()).toEqual(['search/rank/bonuses.ts'])

  const { parseQuery } = await source.load<typeof import('../../../search/query/query')>('search/query/query.ts')
  const { rankCandidates } = await source.load<typeof import('../../../search/rank/rank')>('search/rank/rank.ts')
  const { createAnnotator } = await source.load<typeof import('../../../search/hits')>('search/hits.ts')
  const params = { q: 'marlowe', limit: 20, types: ['parcels' as const], filter: { ...LISTED_PARCELS, state: 'OR' } }
  const place = { lat: null, lon: null, proximityKm: 50, group: null }
  const [request] = parseQuery({ ...params, ...place })
  if (request === undefined) throw new Error('a query has a reading')
  const [first, second] = rankCandidates(request, [parcel('1', null), parcel('2', 90_000)])
  expect(first?.candidate.id).toBe('2')
  expect((first?.score ?? 0) - (second?.score ?? 0)).toBeCloseTo(0.25, 6)
  if (first === undefined) throw new Error('nothing was ranked')
  const { explain } = createAnnotator(request, { explain: true })(first)
  expect<object | undefined>(explain?.bonuses).toEqual({
    exact_prefix: 0.5,
    exact_parcel_id: 0,
    proximity: 0,
    known_value: 0.25,
  })

  const schemas = await source.load<typeof import('../../../src/http/routes/search/schemas')>(
    'src/http/routes/search/schemas.ts',
  )
  expect(JSON.stringify(schemas.explain.properties.bonuses)).toContain('For a known assessed value.')
})
