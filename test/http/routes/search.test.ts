import { afterAll, describe, expect, test } from 'bun:test'
import { upsertEntities } from '../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../../search/search'
import { createSearchSync } from '../../../search/sync/sync'
import { PATIENT } from '../../search/patient'
import { testMeilisearch } from '../../support/servers'
import { createTestApp, insertCounty } from '../test-app'

const { sql, url, call, useSearch } = await createTestApp()
const indexPrefix = `${url.split('/').at(-1)}_`
useSearch(createSearch({ sql, meili: testMeilisearch(), indexPrefix, limits: PATIENT }))
const sync = createSearchSync({ databaseUrl: url, meili: testMeilisearch(), indexPrefix })
afterAll(() => sync.stop())

await insertCounty(sql, 'elm')
await insertCounty(sql, 'ash')
await sql`update sources set state = 'WA', county_name = 'Ash' where source = 'ash'`
await upsertParcels(sql, 'elm', [
  {
    sourceParcelId: '1N-130/CB 100',
    ownerName: 'JUNIPER ADA & BO',
    situsAddress: '123 N ALDER ST',
    situsCity: 'ELMVILLE',
    situsState: 'OR',
    situsZip: null,
    assessedValue: 5,
    zoningCode: 'R-1',
  },
  {
    sourceParcelId: '200',
    ownerName: 'LARKSPUR HOLDINGS LLC',
    situsAddress: '77 SW BIRCH CT',
    situsCity: 'ELMVILLE',
    zoningCode: 'CG',
    acreage: 2,
  },
  {
    sourceParcelId: '300',
    ownerName: 'LARKSPUR HOLDINGS LLC',
    situsAddress: '79 SW BIRCH CT',
    bbox: [-123, 45, -122.9, 45.1],
    geom: {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [-123, 45],
            [-122.9, 45],
            [-122.9, 45.1],
            [-123, 45],
          ],
        ],
      ],
    },
  },
  { sourceParcelId: '400', situsAddress: '5 OAK LN' },
])
await upsertParcels(sql, 'ash', [
  { sourceParcelId: '100', ownerName: 'JUNIPER CARL', situsAddress: '9 ASPEN RD', situsCity: 'ASHTON' },
])
await upsertEntities(sql, 'OR', [
  { registryNumber: 'R-1', name: 'Larkspur Holdings LLC', registeredAgentName: 'Dora Fir' },
])
await upsertEntities(sql, 'DE', [{ registryNumber: 'R-9', name: 'Larkspur Capital Inc' }])
sync.start()
await sync.drain()

interface Hit {
  kind: string
  source_parcel_id?: string
  registry_number?: string
}
const find = async (query: string): Promise<string[]> => {
  const { status, body } = await call(`/v1/search?${query}`)
  expect(status).toBe(200)
  expect(body.count).toBe(body.results.length)
  return body.results.map((hit: Hit) => hit.source_parcel_id ?? hit.registry_number ?? hit.kind)
}

test('200: a misspelled owner and a misspelled street are found, with every field of a hit', async () => {
  const { body } = await call('/v1/search?q=jnuiper%20ada&types=parcels&limit=1')
  expect(body.results).toEqual([
    {
      kind: 'parcel',
      source: 'elm',
      source_parcel_id: '1N-130/CB 100',
      state: 'OR',
      county_name: 'Elm',
      owner_name: 'JUNIPER ADA & BO',
      situs_address: '123 N ALDER ST',
      situs_city: 'ELMVILLE',
      situs_state: 'OR',
      assessed_value: 5,
      score: expect.any(Number),
    },
  ])
  expect((await find('q=123%20n%20aldr%20st'))[0]).toBe('1N-130/CB 100')
})

test('200: an entity has every field of a hit', async () => {
  const { body } = await call('/v1/search?q=larkspur%20holdngs&types=entities&limit=1')
  expect(body.results).toEqual([
    {
      kind: 'entity',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      jurisdiction: 'OR',
      registry_number: 'R-1',
      name: 'Larkspur Holdings LLC',
      entity_type: null,
      status: null,
      registered_agent_name: 'Dora Fir',
      linked_parcel_count: 2,
      score: expect.any(Number),
    },
  ])
})

test.each(['owner=!!', 'owner=nobody', 'changed_since=x', 'retired=true', 'parcel_id=-'])(
  '%s, which only other routes list, is ignored',
  async (query) => {
    const [plain, answer] = [await call('/v1/search?q=larkspur'), await call(`/v1/search?q=larkspur&${query}`)]
    expect(plain.body.count).toBeGreaterThan(0)
    expect([answer.status, answer.body]).toEqual([200, plain.body])
  },
)

describe('filters', () => {
  test('types', async () => {
    expect(await find('q=larkspur&types=entities')).toEqual(expect.arrayContaining(['R-1', 'R-9']))
    expect(await find('q=larkspur&types=parcels')).toEqual(['200', '300'])
    expect((await find('q=larkspur')).length).toBe(4)
  })

  test('state, given in any case or read from the end of the query, filters parcels and entities', async () => {
    expect(await find('q=juniper&state=wa')).toEqual(['100'])
    expect(await find('q=juniper%20washington')).toEqual(['100'])
    expect(await find('q=juniper%20WA')).toEqual(['100'])
    expect(await find('q=larkspur&state=de')).toEqual(['R-9'])
    expect(await find('q=juniper%20wa&state=or')).toEqual(['1N-130/CB 100'])
  })

  test('source and zoning narrow parcels; entities stay', async () => {
    expect(await find('q=juniper&source=elm')).toEqual(['1N-130/CB 100'])
    expect((await find('q=larkspur&source=none')).toSorted()).toEqual(['R-1', 'R-9'])
    expect(await find('q=larkspur&zoning=cg&types=parcels')).toEqual(['200'])
  })

  test('the slug of a source in another case is unknown', async () => {
    expect(await find('q=juniper&source=ELM')).toEqual([])
    expect((await find('q=larkspur&source=ELM')).toSorted()).toEqual(['R-1', 'R-9'])
  })

  test('spaces around zoning, land_use and county do not matter', async () => {
    expect(await find('q=larkspur&zoning=%20cg%20&types=parcels')).toEqual(['200'])
    expect(await find('q=juniper&county=%20ash%20')).toEqual(['100'])
  })

  test('county, land_use, values, acres and bbox exclude entities', async () => {
    expect(await find('q=juniper&county=ash')).toEqual(['100'])
    expect(await find('q=larkspur&county=elm')).toEqual(['200', '300'])
    expect(await find('q=larkspur&county=Elm+County')).toEqual(['200', '300'])
    expect(await find('q=larkspur&county=County')).toEqual([])
    expect(await find('q=larkspur&bbox=-123,45,-122.95,45.1')).toEqual(['300'])
    // Boxes that share only a corner intersect.
    for (const bbox of ['-122.9,45.1,-122,46', '-124,44,-123,45']) {
      expect(await find(`q=larkspur&bbox=${bbox}`)).toEqual(['300'])
    }
    expect(await find('q=juniper&min_value=5&max_value=5')).toEqual(['1N-130/CB 100'])
    expect(await find('q=juniper&max_acres=10')).toEqual([])
    expect(await find('q=larkspur&min_acres=2&max_acres=2')).toEqual(['200'])
    expect(await find('q=juniper&land_use=res')).toEqual([])
  })

  test.each([
    ['county=', 'county must be text of 1 to 100 characters'],
    ['county=%20', 'county must not be blank'],
    ['land_use=%09', 'land_use must not be blank'],
    ['zoning=%20', 'zoning must not be blank'],
    [`land_use=${'x'.repeat(101)}`, 'land_use must be text of 1 to 100 characters'],
    ['min_value=-1', 'min_value must be a number from 0 to 1000000000000000'],
    ['max_value=1e3', 'max_value must be a number from 0 to 1000000000000000'],
    ['min_acres=x', 'min_acres must be a number from 0 to 1000000000'],
    ['max_acres=9999999999', 'max_acres must be a number from 0 to 1000000000'],
    ['min_value=2&max_value=1', 'min_value must not be greater than max_value'],
    ['min_acres=2&max_acres=1', 'min_acres must not be greater than max_acres'],
    ['bbox=1,2,3', 'bbox must be four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)'],
    ['bbox=1,3,2,2', 'bbox: south must not be greater than north'],
    ['include=all', 'include must be retired'],
  ])('400: %s', async (query, error) => {
    const { status, body } = await call(`/v1/search?q=larkspur&${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ error })
  })

  test('limit', async () => {
    expect((await find('q=larkspur&limit=2')).length).toBe(2)
  })
})

test('an exact parcel id comes first, with and without its punctuation', async () => {
  expect((await find('q=1N130CB100'))[0]).toBe('1N-130/CB 100')
  expect((await find(`q=${encodeURIComponent('1n-130/cb 100')}`))[0]).toBe('1N-130/CB 100')
  expect((await find('q=100'))[0]).toBe('100')
})

test('group=owner merges the parcels of one owner, with their box; an owner of one stays a parcel', async () => {
  const { body } = await call('/v1/search?q=larkspur%20holdings&types=parcels&group=owner')
  expect(body.results).toEqual([
    {
      kind: 'owner-group',
      owner_name: 'LARKSPUR HOLDINGS LLC',
      member_count: 2,
      members: [expect.objectContaining({ kind: 'parcel' }), expect.objectContaining({ kind: 'parcel' })],
      members_next: null,
      bbox: [-123, 45, -122.9, 45.1],
      score: body.results[0].members[0].score,
    },
  ])
  expect((await call('/v1/search?q=juniper%20ada&types=parcels&group=owner&limit=1')).body.results[0].kind).toBe(
    'parcel',
  )
})

describe('pages', () => {
  test('total, total_is_exact and next; after returns the next page', async () => {
    const { body } = await call('/v1/search?q=larkspur&limit=3')
    expect(body).toMatchObject({ count: 3, total: 4, total_is_exact: true })
    const last = (await call(`/v1/search?q=larkspur&limit=3&after=${body.next}`)).body
    expect(last).toMatchObject({ count: 1, total: 4, total_is_exact: true, next: null })
    const all = (await call('/v1/search?q=larkspur&total=1')).body
    expect([...body.results, ...last.results]).toEqual(all.results)
    expect(all).toMatchObject({ total: 4, total_is_exact: true, next: null })
    expect((await call('/v1/search?q=zzyzx')).body).toMatchObject({
      count: 0,
      total: 0,
      total_is_exact: true,
      next: null,
    })
  })

  const error = 'after must be the `next` or `members_next` of a response to the same search with the same filters'
  test('400: after is of another search, is not a cursor or is too long', async () => {
    const { next } = (await call('/v1/search?q=larkspur&limit=1')).body
    const invalid = ['', 'x', 'e30', 'a b', 'bnVsbA', `${next}x`, 'x'.repeat(4_001), next.slice(0, -4)]
    const searches = invalid.map((after) => `q=larkspur&after=${encodeURIComponent(after)}`)
    for (const query of [...searches, `q=juniper&after=${next}`, `q=larkspur&state=OR&after=${next}`]) {
      expect(await call(`/v1/search?${query}`)).toMatchObject({ status: 400, body: { error } })
    }
  })

  test('400: after was altered to contain text that PostgreSQL rejects', async () => {
    const { next } = (await call('/v1/search?q=larkspur&limit=1')).body
    const { search, reading } = JSON.parse(Buffer.from(next, 'base64url').toString())
    const alter = (members: object) =>
      Buffer.from(JSON.stringify({ search, reading, shown: '', ...members })).toString('base64url')
    for (const after of [
      alter({ owner: 'A\0', last: null }),
      alter({ owner: 'A', last: { source: 'elm\0', id: '1' } }),
      alter({ owner: 'A', last: { source: 'elm', id: '\0' } }),
    ]) {
      expect(await call(`/v1/search?q=larkspur&after=${after}`)).toMatchObject({ status: 400, body: { error } })
    }
    const unaltered = alter({ owner: 'A', last: { source: 'elm', id: '1' } })
    expect((await call(`/v1/search?q=larkspur&after=${unaltered}`)).status).toBe(200)
  })
})

describe('explain and highlight', () => {
  test('explain=1: the parts of a score add up to it, for parcels and entities', async () => {
    const { body } = await call('/v1/search?q=larkspur%20holdings%20llc&explain=1')
    for (const { score, explain } of body.results) {
      const { exact_prefix, exact_parcel_id, proximity } = explain.bonuses
      expect(explain.text.score + exact_prefix + exact_parcel_id + proximity).toBeCloseTo(score, 6)
    }
    const street = await call('/v1/search?q=77%20sw%20birch%20court%20&types=parcels&limit=1&explain=true')
    const onStreet = { field: 'situs_address', similarity: 1, weight: 2 }
    expect(street.body.results[0].explain).toEqual({
      text: {
        score: expect.any(Number),
        coverage: 1,
        words: ['77', 'sw', 'birch', 'ct'].map((word) => ({ word, ...onStreet })),
      },
      bonuses: { exact_prefix: 0.3, exact_parcel_id: 0, proximity: 0 },
      normalizations: [{ from: 'court', to: 'ct' }],
    })
  })

  test('center=1: the center of each parcel, or null if it is unknown; entities have none', async () => {
    const { body } = await call('/v1/search?q=larkspur%20holdings&center=1')
    const centers = body.results.map((hit: { source_parcel_id?: string; center?: unknown }) => [
      hit.source_parcel_id,
      hit.center,
    ])
    expect(centers).toContainEqual(['200', null])
    expect(centers).toContainEqual(['300', [expect.closeTo(-122.95, 5), expect.closeTo(45.05, 5)]])
    expect((await call('/v1/search?q=larkspur%20holdings')).text).not.toContain('center')
  })

  test('highlight=1: the fields that match are marked, the rest escaped', async () => {
    const { body } = await call('/v1/search?q=juniper%20elmville%20aldr&types=parcels&limit=1&highlight=1')
    expect(body.results[0].highlight).toEqual({
      owner_name: '<mark>JUNIPER</mark> ADA &amp; BO',
      situs_address: '123 N <mark>ALDER</mark> ST',
      situs_city: '<mark>ELMVILLE</mark>',
    })
    const agent = await call('/v1/search?q=dora%20fir&types=entities&limit=1&highlight=true')
    expect(agent.body.results[0].highlight).toEqual({
      registered_agent_name: '<mark>Dora</mark> <mark>Fir</mark>',
    })
    expect(agent.body.results[0].explain).toBeUndefined()
  })

  test("markup in an owner's name is escaped", async () => {
    await upsertParcels(sql, 'elm', [{ sourceParcelId: '666', ownerName: 'MALLORY <script>alert(1)</script>' }])
    await sync.drain()
    const { body } = await call('/v1/search?q=mallory%20script&highlight=1&limit=1')
    expect(body.results[0].highlight.owner_name).toBe(
      '<mark>MALLORY</mark> &lt;<mark>script</mark>&gt;alert(1)&lt;/<mark>script</mark>&gt;',
    )
  })

  test('members of a group have both, and the group has the ones of its best member', async () => {
    const { body } = await call('/v1/search?q=larkspur%20holdings&types=parcels&group=owner&explain=1&highlight=1')
    const [group] = body.results
    expect(group.explain).toEqual(group.members[0].explain)
    expect(group.highlight).toEqual({ owner_name: '<mark>LARKSPUR</mark> <mark>HOLDINGS</mark> LLC' })
    expect(group.members[1]).toMatchObject({ explain: { text: { coverage: 1 } }, highlight: group.highlight })
  })

  test('0, false and an empty value turn an option off', async () => {
    const plain = (await call('/v1/search?q=larkspur')).text
    expect((await call('/v1/search?q=larkspur&explain=0&highlight=false')).text).toBe(plain)
    expect(plain).not.toContain('explain')
    expect(plain).not.toContain('highlight')
  })

  test.each(['explain', 'highlight'])('400: %s has another value', async (name) => {
    for (const value of ['', '2', 'yes', 'TRUE']) {
      const { status, body } = await call(`/v1/search?q=larkspur&${name}=${value}`)
      expect(status).toBe(400)
      expect(body).toEqual({ error: `${name} must be 1 or 0` })
    }
  })
})

test('corrected: the query with its corrections, only when a word was corrected', async () => {
  const search = createSearch({ sql, meili: testMeilisearch(), indexPrefix, limits: PATIENT })
  await search.refreshVocabulary()
  useSearch(search)
  const corrected = async (q: string) => (await call(`/v1/search?q=${encodeURIComponent(q)}`)).body
  expect(await corrected('jnuiper ada ')).toMatchObject({ corrected: 'juniper ada' })
  expect(await corrected('juniper ada ')).not.toHaveProperty('corrected')
  expect(await corrected('JuniperAda ')).not.toHaveProperty('corrected')
  const { body } = await call('/v1/search?q=jnuiper%20ada&explain=1&highlight=1&limit=1')
  expect(body.results[0].explain.normalizations).toEqual([{ from: 'jnuiper', to: 'juniper' }])
  expect(body.results[0].highlight.owner_name).toBe('<mark>JUNIPER</mark> <mark>ADA</mark> &amp; BO')
})

test('a change or deletion is soon visible to searches', async () => {
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '500', ownerName: 'QUILLFEATHER MAE' }])
  await sync.drain()
  expect(await find('q=quilfeather')).toEqual(['500'])
  await sql`delete from parcels where source_parcel_id = '500'`
  await sync.drain()
  expect(await find('q=quillfeather&types=parcels')).toEqual([])
})

test('when Meilisearch is unavailable, PostgreSQL answers and the response says so', async () => {
  const meili = { url: 'http://127.0.0.1:9', masterKey: null }
  useSearch(createSearch({ sql, meili, indexPrefix, limits: PATIENT }))
  const { status, headers, body } = await call('/v1/search?q=jnuiper%20ada')
  expect(status).toBe(200)
  expect(headers.get('warning')).toBe('199 - "search degraded"')
  expect(body.results[0].source_parcel_id).toBe('1N-130/CB 100')
})
