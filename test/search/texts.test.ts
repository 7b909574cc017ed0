import { expect, test } from 'bun:test'
import type { Meilisearch, MultiSearchQuery } from 'meilisearch'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { CANDIDATE_ATTRIBUTE } from '../../search/index/candidates'
import { indexNames } from '../../search/index/indexes'
import { correct } from '../../search/query/correct-query'
import { parseQuery, type SearchRequest } from '../../search/query/query'
import { createVocabulary } from '../../search/query/vocabulary'
import { createMeilisearchEngine } from '../../search/retrieve/meilisearch'
import { createQueries } from '../../search/retrieve/queries'
import { createTexts } from '../../search/retrieve/texts'

const requestOf = (q: string): SearchRequest => {
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
  return request
}

const createTextsOf = (q: string, changes: Partial<SearchRequest> = {}) => createTexts({ ...requestOf(q), ...changes })

const textsOf = (q: string): string[] => createTextsOf(q).map((text) => text.q)

/** The texts that are searched only if the wider one finds more than it returns. */
const partsOf = (wider: string, texts: ReturnType<typeof createTextsOf>): string[] =>
  texts.filter(({ within }) => within === wider).map(({ q }) => q)

test('"st" inside a query is searched as a street and as a saint', () => {
  expect(textsOf('se johnson st 97123')).toContain('"se" "johnson" "st" 97123')
  expect(textsOf('st helens church')).toContain('"saint" "helens" church')
})

test('an initial that is also a direction is completed, unless the other word is a street', () => {
  expect(textsOf('w juniper')).toContain('"juniper" w')
  expect(textsOf('j de la maple')).toContain('"de" "la" "maple" j')
  expect(createTextsOf('w maple', { isStreetName: true }).map(({ q }) => q)).not.toContain('"maple" w')
})

test('a query with the name of a state is searched with the name only if the words before it are found too often', () => {
  const texts = createTextsOf('juniper ada or')
  expect(partsOf('"juniper" "ada"', texts)).toEqual(['"juniper" "ada" or', '"juniper" "ada" "or"'])
})

test('a word is replaced by similar ones only if the others are found too often without it', () => {
  const corrections = ['9 oak st', '12 oat st', '12 ash dr'].map((words, cost) => ({ words: words.split(' '), cost }))
  const texts = createTextsOf('12 oak st', { matchLevel: 'relaxed', corrections })
  expect(partsOf('"oak" st', texts)).toEqual(['12 "oak" "st"', '"9" "oak" st', '"oak" st'])
  expect(partsOf('"12" st', texts)).toEqual(['"12" "oat" st'])
  expect(texts.filter(({ within }) => within === undefined).map(({ q }) => q)).toEqual([
    ...['"oak" st', '"12" st', '"12" "oak"'],
    ...['"12" "ash" "dr"', '"oat" st', '12 "oat" "st"'],
  ])
})

const CORRECTIONS = ['21 oak st', '12 oat st', '12 ash dr'].map((words, cost) => ({ words: words.split(' '), cost }))

test('the street is searched as typed and as corrected for the nearest houses, because it may lack the house number', () => {
  const texts = createTextsOf('12 oak st', { matchLevel: 'relaxed', corrections: CORRECTIONS })
  const streets = texts.filter(({ nearestTo }) => nearestTo !== undefined)
  expect(streets.map(({ q, attributesToSearchOn, nearestTo }) => [q, attributesToSearchOn?.join(), nearestTo])).toEqual(
    [
      ['"oak" st', 'address', 12],
      ['"oat" st', 'address', 12],
    ],
  )
})

test.each(['12a oak st', '12-16 oak st'])(
  'for "%s", the nearest houses are those below 12, and those from it on',
  (q) => {
    const request: SearchRequest = { ...requestOf(q), matchLevel: 'relaxed' }
    const sorted = createQueries(request, indexNames('')).filter(({ sort }) => sort !== undefined)
    expect(sorted.map(({ q, filter, sort }) => [q, filter?.at(-1), sort])).toEqual([
      ['"oak" st', 'house_number < 12', ['house_number:desc']],
      ['"oak" st', 'NOT house_number < 12', ['house_number:asc']],
    ])
  },
)

test('the nearest houses are searched at once, because a street nearly always has more houses than are returned', async () => {
  const requests: string[] = []
  const client = {
    multiSearch: async ({ queries }: { queries: MultiSearchQuery[] }) => {
      requests.push(queries.flatMap(({ q, sort }) => (sort === undefined ? [] : [`${q} ${sort}`])).join(', '))
      return { results: queries.map(({ indexUid }) => ({ indexUid, hits: [] })) }
    },
  } as unknown as Meilisearch
  const engine = createMeilisearchEngine(client, client, indexNames(''))
  await engine.findCandidates({ ...requestOf('12 oak st'), matchLevel: 'relaxed' }, 1_000)
  expect(requests).toEqual(['"oak" st house_number:desc, "oak" st house_number:asc'])
})

test('a typed text is searched even if a correction with fewer words finds it too', () => {
  const texts = createTextsOf('bob juniper', { corrections: [{ words: ['juniper'], cost: 3 }] })
  expect(partsOf('juniper', texts)).toEqual([])
})

test.each([
  ['dan', ['dan']],
  ['da', ['da']],
  ['dan ', []],
  ['163', ['163']],
  ['163 ', []],
  ['dan holloway', []],
])('"%s" is searched in names alone: %p', (q, expected) => {
  const inNames = createTextsOf(q).filter(({ attributesToSearchOn }) => attributesToSearchOn?.join() === 'name')
  expect(inNames.map((text) => text.q)).toEqual(expected)
})

test('an apostrophe in an unfinished name does not finish it', () => {
  expect(textsOf("o'd")).toContain('od')
})

test.each([
  ['hol', ['owner_key STARTS WITH "hol"']],
  ["o'dell m", ['owner_key STARTS WITH "o\'dell m"']],
  ['9 south st', ['address STARTS WITH "9 south st"', 'address STARTS WITH "9 s st"']],
  ['9', []],
])('for "%s", records that begin with it are searched: %p', (q, expected) => {
  const filters = createQueries(requestOf(q), indexNames('')).flatMap(({ filter }) => (filter as string[]) ?? [])
  expect(filters.filter((one) => /^(owner_key|address) /.test(one))).toEqual(expected)
})

/** The texts in each request to a Meilisearch where `best` records begin with the text and there are plenty of other matches. */
const searchWith = async (q: string, best: number): Promise<{ requests: string[][]; isComplete: boolean }> => {
  const requests: string[][] = []
  const client = {
    multiSearch: async ({ queries }: { queries: MultiSearchQuery[] }) => {
      requests.push(queries.map(({ q, attributesToSearchOn }) => `${q} in ${attributesToSearchOn?.join() ?? 'all'}`))
      const results = queries.map(({ indexUid, filter, limit = 0, attributesToSearchOn }) => {
        const isBest = String(filter).startsWith('owner_key STARTS WITH') || attributesToSearchOn?.join() === 'address'
        const hits = Array.from({ length: isBest ? best : limit }, (_, place) => ({
          [CANDIDATE_ATTRIBUTE]: `["${indexUid} ${place}"]`,
        }))
        return { indexUid, hits }
      })
      return { results }
    },
  } as unknown as Meilisearch
  const engine = createMeilisearchEngine(client, client, indexNames(''))
  return { requests, isComplete: (await engine.findCandidates(requestOf(q), 1_000)).isComplete }
}

test.each([
  ['jen', ['jen in all', 'jen in name']],
  ['163', ['163 in all']],
])(
  'records with "%s" elsewhere are searched only if less than a page of records begins with it: %p',
  async (q, expected) => {
    const enough = await searchWith(q, 20)
    expect(enough.requests).toHaveLength(1)
    expect(enough.requests.flat()).not.toContain(`${q} in all`)
    expect(enough.isComplete).toBe(false)
    const few = await searchWith(q, 19)
    expect(few.requests[0]).not.toContain(`${q} in all`)
    expect(few.requests[1]).toEqual(expected)
  },
)

test('texts with thousands of matches are searched without "distinct", which would read them all', () => {
  const queries = createQueries({ ...requestOf('jen'), group: 'owner' }, indexNames(''))
  expect(queries.filter(({ q, distinct }) => q !== '' && distinct !== undefined)).toEqual([])
})

test.each([
  ['zzyqx juniper', ['juniper']],
  ['zzyqx 528', undefined],
  ['zzyqx j', undefined],
  ['614 zzyqx st', undefined],
])('without its unknown word, "%s" is searched if the other words distinguish records: %p', (q, expected) => {
  const vocabulary = createVocabulary([{ word: 'juniper', count: 9 }])
  expect(correct(requestOf(q), vocabulary).corrections[0]?.known as string[] | undefined).toEqual(expected)
})

test('the street alone is searched only after the whole address, so that an address with a city takes no further query', () => {
  expect(textsOf('12 oak st salem')).not.toContain('"12" "oak" "st"')
  expect(createTextsOf('12 oak st salem', { matchLevel: 'relaxed' }).map(({ q }) => q)).toContain('"12" "oak" "st"')
})
