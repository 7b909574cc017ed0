import { expect, test } from 'bun:test'
import { LISTED_PARCELS } from '../../core/parcel-filter'
import { parseQuery } from '../../search/query/query'
import { createTexts } from '../../search/retrieve/texts'

const textsOf = (q: string): string[] => {
  const [request] = parseQuery({
    q,
    limit: 20,
    types: ['parcels'],
    filter: LISTED_PARCELS,
    lat: null,
    lon: null,
    proximityKm: 50,
    group: null,
  })
  if (request === undefined) throw new Error('a query has a reading')
  return createTexts(request).map((text) => text.q)
}

test('"st" inside a query is searched as a street and as a saint', () => {
  expect(textsOf('se johnson st 97123')).toContain('"se" "johnson" "st" 97123')
  expect(textsOf('st helens church')).toContain('"saint" "helens" church')
})
