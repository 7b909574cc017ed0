import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import type { Caller } from '../../core/concurrency/fair-turns'
import type { Bbox } from '../../core/geometry/bbox'
import { LISTED_PARCELS, type ParcelFilter } from '../../core/parcels/filter'
import { connectDatabase, readPoolUse } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { upsertEntities } from '../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { listParcelsByWords } from '../../drizzle/queries/search/search-by-trigram'
import type { ParcelInput } from '../../drizzle/records'
import type { SearchHit } from '../../search/hits'
import { CANDIDATE_ATTRIBUTE } from '../../search/index/candidates'
import type { SearchParams } from '../../search/query/query'
import { createSearch, type Search } from '../../search/search'
import { createSearchSync } from '../../search/sync/sync'
import { countRowsRead } from '../drizzle/rows-read'
import { startProxy } from '../endurance/chaos/proxy'
import { createTestDatabase, testMeilisearch, waitFor } from '../support/servers'
import { leastOf, shortestTime } from '../support/shortest-time'
import { startMeilisearchProxy } from './meilisearch-proxy'
import { PATIENT } from './patient'

const { url, sql } = await createTestDatabase()
const indexPrefix = `search_${process.pid}_`
const meili = testMeilisearch()
const sync = createSearchSync({ databaseUrl: url, meili, indexPrefix })

/** A lot of about 20 m at a place. */
const lot = (lon: number, lat: number): Pick<ParcelInput, 'geom' | 'bbox'> => {
  const [west, south, east, north]: Bbox = [lon - 0.0001, lat - 0.0001, lon + 0.0001, lat + 0.0001]
  return {
    bbox: [west, south, east, north],
    geom: {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
          ],
        ],
      ],
    },
  }
}

const washington: ParcelInput[] = [
  {
    sourceParcelId: '1N1-30 CB.00100',
    ownerName: 'MARSTON RIVERA ESTATES LLC',
    situsAddress: '2645 NE HARBOR VIEW DR',
    situsCity: 'WILLOWBROOK',
    situsState: 'OR',
    situsZip: '97123-1234',
    zoningCode: 'R-7',
    landUseClass: 'Farm',
    assessedValue: 350_000,
    acreage: 2.5,
    ...lot(-122.9, 45.5),
  },
  { sourceParcelId: '200', ownerName: 'TESTERMANN JOHN A', situsAddress: '123 N MAIN ST #4', situsCity: 'WILLOWBROOK' },
  { sourceParcelId: '201', ownerName: "O'CALLAHORN PAT", situsAddress: '7 SW FIRST AVE', landUseClass: 'Residential' },
  { sourceParcelId: '202', ownerName: 'QUILLFEATHER OLGA', situsAddress: '900 NW OAK CT', situsCity: 'FERNDALE' },
  { sourceParcelId: '203', ownerName: 'CO 100% _ODD\\ "NAME"', situsAddress: '1 ODD WAY', zoningCode: '"x" OR id = 1' },
]
/** 300 units of one building, each of another owner. */
const units = Array.from({ length: 300 }, (_, index) => ({
  ...{
    account_id: `U${index}`,
    unit: `${index}`,
    owner_name: `RESIDENT${String.fromCharCode(97 + (index % 26)).repeat(4)} ${index}`,
  },
  ...{ owner_mailing_address: null, situs_address: null, land_use_class: null },
  ...{ assessed_value: null, value_land: null, value_improvement: null },
}))
units[251] = { ...(units[251] as (typeof units)[number]), owner_name: 'FEATHERSTONEHAUGH MILDRED' }
const tower: ParcelInput = {
  ...{ sourceParcelId: 'TOWER', ownerName: 'TOWER ASSOCIATION', situsAddress: '77 HIGH ST', accounts: units },
}
const king: ParcelInput[] = [
  {
    sourceParcelId: '1N130CB00100',
    ownerName: 'VANDERBEEK CARL',
    situsAddress: '5 ELM RD',
    situsCity: 'SEATTLE',
    assessedValue: 90_000,
    acreage: 0.2,
  },
  { sourceParcelId: '301', ownerName: 'HOLLENBECK RUTH', situsAddress: '815 W 5TH ST' },
  { sourceParcelId: '302', situsAddress: '41 MARTIN LUTHER KING JR WAY' },
  { sourceParcelId: '303', ownerName: 'ELK LODGE', situsAddress: '41 KENNEDY WAY' },
  { sourceParcelId: '304', situsAddress: '8 JFK AVE' },
  { sourceParcelId: '305', situsAddress: '12 PLOVER ST' },
  { sourceParcelId: '306', situsAddress: '12R PLOVER ST' },
  { sourceParcelId: '300', ownerName: 'TESTERMANN JOHN A', situsAddress: '9 PINE LN', ...lot(-122.3, 47.6) },
]
/** More parcels of one name than there are candidates; the last one is far from the others. */
const crowd: ParcelInput[] = Array.from({ length: 1_200 }, (_, index) => ({
  sourceParcelId: `c${index}`,
  ownerName: 'CITY OF MANYFIELDS',
  situsAddress: `${index} COMMON RD`,
  ...(index === 1_199 ? lot(-100, 40) : lot(-90, 40 + index / 10_000)),
}))
/** On the same road, added after all of the crowd. */
const neighbors: ParcelInput[] = [
  { sourceParcelId: 'n1', ownerName: 'BRIDGEWATER OWEN', situsAddress: '5001 COMMON RD' },
  { sourceParcelId: 'n2', situsAddress: '5002 COMMON RD' },
  { sourceParcelId: 'n3', situsAddress: '5003 COMMON RD' },
  {
    sourceParcelId: 'n4',
    ownerName: 'OTTERLEY JUNE',
    situsAddress: '7 HERON LN',
    ownerMailingAddress: '12 COMON RD, FERNDALE KS 67001',
  },
]

beforeAll(async () => {
  await sql`
    insert into sources (source, state, county_name, vendor, base_url) values
    ('washington_or', 'OR', 'Washington', 'pacs', 'https://example.com'),
    ('king_wa', 'WA', 'King', 'pacs', 'https://example.com'),
    ('crowd_ks', 'KS', 'Crowd', 'pacs', 'https://example.com')
  `
  await upsertParcels(sql, 'washington_or', washington)
  await upsertParcels(sql, 'king_wa', [...king, tower])
  await upsertParcels(sql, 'crowd_ks', crowd)
  await upsertEntities(sql, 'OR', [
    {
      registryNumber: 'R-1',
      name: 'Marston Rivera Estates, L.L.C.',
      entityType: 'LLC',
      status: 'active',
      registeredAgentName: 'PENNYWORTH ALFREDA',
    },
  ])
  await upsertEntities(sql, 'WA', [{ registryNumber: 'W-1', name: 'MARSTON RIVERA PARTNERS INC' }])
  sync.start()
  await waitFor(() => sync.status().leading)
  await sync.drain()
  await upsertParcels(sql, 'crowd_ks', neighbors)
  await sync.drain()
})

afterAll(() => sync.stop())

type More = Partial<SearchParams & ParcelFilter>

const ask = async (search: Search, q: string, more: More = {}, caller?: Caller) =>
  search.search(
    {
      q,
      limit: 20,
      types: ['parcels', 'entities'],
      lat: null,
      lon: null,
      proximityKm: 50,
      group: null,
      filter: filterOf(more),
      ...more,
    },
    caller,
  )

const filterOf = (more: More): ParcelFilter => {
  const given = Object.keys(LISTED_PARCELS).filter((name) => name in more) as (keyof ParcelFilter)[]
  return { ...LISTED_PARCELS, ...Object.fromEntries(given.map((name) => [name, more[name]])) }
}

const nameOf = (hit: SearchHit | undefined) =>
  hit === undefined
    ? undefined
    : hit.kind === 'parcel'
      ? hit.source_parcel_id
      : hit.kind === 'entity'
        ? hit.registry_number
        : hit.owner_name

/** PostgreSQL has 600 ms, which a busy machine may miss. */
const nullIfUnavailable = (error: unknown) => {
  if (error instanceof ServiceError && error.code === 'search_unavailable') return null
  throw error
}

const engines = {
  Meilisearch: createSearch({ sql, meili, indexPrefix, limits: PATIENT }),
  'pg_trgm alone': createSearch({ sql, meili: null, limits: PATIENT }),
}

describe.each(Object.entries(engines))('%s', (_, search) => {
  const first = async (q: string, more: More = {}) => nameOf((await ask(search, q, more)).hits[0])
  const all = async (q: string, more: More = {}) => (await ask(search, q, more)).hits.map(nameOf)

  test.each([
    ['testermann john willowbrook', '200'],
    ['testerman jon willowbrook', '200'],
    ['tsetermann john willowbrok', '200'],
    ['quillfeather', '202'],
    ['quillfaether olga', '202'],
    ['qui', '202'],
    ["o'callahorn", '201'],
    ['ocallahorn pat', '201'],
    ['2645 ne harbor view', '1N1-30 CB.00100'],
    ['2645 northeast harbor view drive', '1N1-30 CB.00100'],
    ['2645 ne harbr view dr', '1N1-30 CB.00100'],
    ['123 n main street apt 4', '200'],
    ['7 southwest 1st ave', '201'],
    ['815 w fifth', '301'],
    ['815 fifth', '301'],
    ['hollenbeck fifth', '301'],
    ['fifth', '301'],
    ['mlk', '302'],
    ['41 mlk way', '302'],
    ['m.l. king way', '302'],
    ['mlk w', '302'],
    ['john f kennedy ave', '304'],
    ['8 john f. kennedy avenue', '304'],
    ['900 nw oak ct', '202'],
    ['olga quillfeather ferndale', '202'],
    ['pennyworth alfreda', 'R-1'],
    ['marston rivera partners', 'W-1'],
    ['100% _odd\\', '203'],
    ['1n1-30 c', '1N1-30 CB.00100'],
    ['2645 ne harbor view dr, willowbrook, or 97123', '1N1-30 CB.00100'],
    ['harbor view dr 97123', '1N1-30 CB.00100'],
    ['97123', '1N1-30 CB.00100'],
    ['who owns 900 nw oak ct', '202'],
    ['property of quillfeather olga', '202'],
    ['featherstonehaugh mildred', 'TOWER'],
    ['featherstonehaug', 'TOWER'],
    ['tower association', 'TOWER'],
    ['tower assn', 'TOWER'],
    ['tower assoc', 'TOWER'],
    ['estate of mildred featherstonehaugh', 'TOWER'],
    ['apt 4 123 n main street', '200'],
    ['900 nw oak ct, willowbrook county', '202'],
    ['900 nw oak ct, willowbrook, oregon, usa', '202'],
    ['taxes for 900 nw oak ct', '202'],
    ['77 high st', 'TOWER'],
    ['12 plover st', '305'],
    ['12 rear plover st', '306'],
    ['12 plover st rear', '306'],
    ['12-r plover st', '306'],
    ['heirs of olga quillfeather', '202'],
    ['c/o quillfeather', '202'],
    ['９００ ｎｗ ｏａｋ ｃｔ', '202'],
    ['1n130cb00100, king county, wa', '1N130CB00100'],
  ])('"%s" finds %s first', async (q, expected) => {
    expect(await first(q)).toBe(expected)
  })

  test.each([
    ['an owner and a street', 'carl elm', '1N130CB00100'],
    ['a street and an owner', 'elm carl', '1N130CB00100'],
    ['an owner and the beginning of a street', 'john pin', '300'],
    ['an owner and a street in long form', 'john pine lane', '300'],
    ['a misspelled owner and a street', 'brigdewater common', 'n1'],
    ['an owner and a city', 'olga ferndale', '202'],
    ['a city and an owner', 'ferndale olga', '202'],
    ['a street and a city', 'elm seattle', '1N130CB00100'],
    ['a house and a city', '900 oak ferndale', '202'],
    ['an owner, a street and a city', 'carl elm seattle', '1N130CB00100'],
  ])('%s that are similar to no single field find the parcel: "%s"', async (_kind, q, expected) => {
    expect(await first(q)).toBe(expected)
  })

  test('a parcel that is found by the owner of an account has that owner in the hit', async () => {
    const [hit] = (await ask(search, 'mildred featherstonehaugh', { highlight: true })).hits
    expect(hit).toMatchObject({ owner_name: 'FEATHERSTONEHAUGH MILDRED', situs_address: '77 HIGH ST' })
    expect(hit?.highlight?.owner_name).toContain('<mark>')
    expect((await ask(search, '77 high st')).hits[0]).toMatchObject({ owner_name: 'TOWER ASSOCIATION' })
    const groups = (await ask(search, 'featherstonehaugh', { group: 'owner' })).hits
    expect(nameOf(groups[0])).toBe('TOWER')
  })

  test('an exact parcel id finds every parcel with it first, in any punctuation', async () => {
    expect(await all('1n130cb00100')).toEqual(['1N130CB00100', '1N1-30 CB.00100'])
    expect(await all('1n1-30-cb-00100', { source: 'washington_or' })).toEqual(['1N1-30 CB.00100'])
    expect((await ask(search, '1N1-30 CB.00100')).hits[0]?.score).toBeGreaterThanOrEqual(5)
  })

  test('the typed part of an id is marked, in any punctuation', async () => {
    const marks = async (q: string) =>
      (await ask(search, q, { highlight: true })).hits.map((hit) => hit.highlight?.source_parcel_id).slice(0, 2)
    expect(await marks('1n130cb00100')).toEqual(['<mark>1N130CB00100</mark>', '<mark>1N1-30 CB.00100</mark>'])
    expect((await marks('1N1-30 CB.001'))[0]).toMatch(/^<mark>1N1(30CB001|-30 CB\.001)<\/mark>00$/)
    expect(await marks('featherstonehaugh')).toEqual([undefined])
  })

  test('a hit has the fields of the contract', async () => {
    const { hits, degraded } = await ask(search, 'marston rivera estates llc', { state: 'OR' })
    expect(degraded).toBe(false)
    expect(hits).toEqual([
      {
        kind: 'parcel',
        source: 'washington_or',
        source_parcel_id: '1N1-30 CB.00100',
        state: 'OR',
        county_name: 'Washington',
        owner_name: 'MARSTON RIVERA ESTATES LLC',
        situs_address: '2645 NE HARBOR VIEW DR',
        situs_city: 'WILLOWBROOK',
        situs_state: 'OR',
        assessed_value: 350_000,
        score: expect.any(Number),
      },
      {
        kind: 'entity',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        jurisdiction: 'OR',
        registry_number: 'R-1',
        name: 'Marston Rivera Estates, L.L.C.',
        entity_type: 'LLC',
        status: 'active',
        registered_agent_name: 'PENNYWORTH ALFREDA',
        linked_parcel_count: 1,
        score: expect.any(Number),
      },
    ])
  })

  test('state filters parcels by source and entities by jurisdiction', async () => {
    expect(await all('testermann john a', { state: 'WA' })).toEqual(['300'])
    expect(await all('testermann john a wa')).toEqual(['300'])
    expect(await all('testermann john a washington')).toEqual(['300'])
    expect(await all('marston rivera', { state: 'WA' })).toEqual(['W-1'])
    expect(await all('testermann', { state: 'TX' })).toEqual([])
    // In Texas it finds nothing, so it is a word like any other.
    expect(await all('testermann texas')).toContain('300')
  })

  test('a trailing code that finds nothing as a state is tried as a word', async () => {
    expect(await first('quillfeather co')).toBe('202')
  })

  test('types, source and zoning filter', async () => {
    expect(await all('marston rivera', { types: ['entities'] })).toEqual(['R-1', 'W-1'])
    expect(await all('marston rivera estates', { types: ['parcels'] })).toEqual(['1N1-30 CB.00100'])
    expect(await all('testermann', { source: 'king_wa' })).toEqual(['300'])
    expect(await all('testermann', { source: 'nowhere' })).toEqual([])
    expect(await all('marston rivera estates', { zoning: 'r-', types: ['parcels'] })).toEqual(['1N1-30 CB.00100'])
    expect(await all('marston rivera estates', { zoning: 'C', types: ['parcels'] })).toEqual([])
    expect(await all('marston rivera', { zoning: 'C' })).toEqual(['R-1', 'W-1'])
    expect(await all('callahorn', { zoning: 'RESI' })).toEqual(['201'])
    expect(await all('odd name', { zoning: '"x" or id' })).toEqual(['203'])
    expect(await all('odd name', { zoning: '%' })).toEqual([])
  })

  test.each<[string, More, string[]]>([
    ['a county, in any case', { county: 'king' }, ['1N130CB00100']],
    ['a county that does not exist', { county: 'kin' }, []],
    ['a county with a quote', { county: '"king" OR id' }, []],
    ['the start of a land use', { landUse: 'FA' }, ['1N1-30 CB.00100']],
    ['the end of a land use', { landUse: 'arm' }, []],
    ['a lowest value', { minValue: 350_000 }, ['1N1-30 CB.00100']],
    ['a lowest value that none has', { minValue: 350_000.5 }, []],
    ['a highest value', { maxValue: 90_000 }, ['1N130CB00100']],
    ['a range of values', { minValue: 90_000, maxValue: 350_000 }, ['1N130CB00100', '1N1-30 CB.00100']],
    ['a smallest area', { minAcres: 2.5 }, ['1N1-30 CB.00100']],
    ['a largest area', { maxAcres: 0.2 }, ['1N130CB00100']],
    ['a box around one', { bbox: [-123, 45, -122, 46] }, ['1N1-30 CB.00100']],
    ['a box that meets an edge', { bbox: [-123, 45.50005, -122.90005, 46] }, ['1N1-30 CB.00100']],
    ['a box beside it', { bbox: [-123, 45.6, -122, 46] }, []],
    ['a box across the antimeridian', { bbox: [170, 45, -122.90005, 46] }, ['1N1-30 CB.00100']],
    ['several conditions', { county: 'Washington', minValue: 1, maxAcres: 3, state: 'OR' }, ['1N1-30 CB.00100']],
    ['conditions that exclude each other', { county: 'Washington', state: 'WA' }, []],
  ])('%s filters parcels', async (_, filter, expected) => {
    expect(await all('1n130cb00100', filter)).toEqual(expected)
  })

  test('a condition that only parcels can meet excludes entities', async () => {
    expect(await all('marston rivera', { county: 'washington' })).toEqual(['1N1-30 CB.00100'])
    expect(await all('marston rivera', { county: 'washington', types: ['entities'] })).toEqual([])
  })

  test('a group of an owner obeys a box', async () => {
    expect(await all('city of manyfields', { bbox: [-100.1, 39.9, -99.9, 40.1], group: 'owner' })).toEqual(['c1199'])
  })

  test('near matches are found even when thousands match, and distant ones are not dropped', async () => {
    const near = { lat: 40, lon: -100, proximityKm: 10 }
    expect(await first('city of manyfields', near)).toBe('c1199')
    expect((await all('city of manyfields', near)).length).toBe(20)
  })

  test('limit limits the number of entries', async () => {
    expect((await all('city of manyfields', { limit: 3 })).length).toBe(3)
    expect((await all('city of manyfields', { limit: 100 })).length).toBe(100)
  })

  test('an owner group counts all its parcels, shows 50 and their box; an owner of one stays a plain hit', async () => {
    const { hits } = await ask(search, 'city of manyfields', { group: 'owner' })
    expect(hits[0]).toMatchObject({ kind: 'owner-group', owner_name: 'CITY OF MANYFIELDS', member_count: 1_200 })
    const group = hits[0]?.kind === 'owner-group' ? hits[0] : undefined
    expect(group?.members.length).toBe(50)
    expect(group?.score).toBe(group?.members[0]?.score ?? -1)
    const [west, south, east, north] = group?.bbox ?? []
    expect(west).toBeCloseTo(-100.0001, 6)
    expect(south).toBeCloseTo(39.9999, 6)
    expect(east).toBeCloseTo(-89.9999, 6)
    expect(north).toBeCloseTo(40.12, 3)
    expect(await all('quillfeather', { group: 'owner' })).toEqual(['202'])
  })

  test('a group merges across sources and obeys the filters', async () => {
    const { hits } = await ask(search, 'testermann john a', { group: 'owner' })
    expect(hits[0]).toMatchObject({ kind: 'owner-group', member_count: 2 })
    const narrowed = await ask(search, 'testermann john a', { group: 'owner', state: 'WA' })
    expect(narrowed.hits.map(({ kind }) => kind)).toEqual(['parcel'])
  })

  test('a retired parcel is found only on request, even in a group of its owner, and the hit says when it was retired', async () => {
    const retire = async (at: string | null) => {
      await sql`update parcels set retired_at = ${at} where source_parcel_id = '300'`
      await sync.drain(30_000)
    }
    await retire('2026-01-02T03:04:05.678Z')
    const retiredAt = async (more: More) =>
      (await ask(search, 'testermann john a', more)).hits.flatMap((hit) =>
        (hit.kind === 'owner-group' ? hit.members : hit.kind === 'parcel' ? [hit] : []).map((parcel) => [
          parcel.source_parcel_id,
          parcel.retired_at,
        ]),
      )
    expect(await retiredAt({})).toEqual([['200', undefined]])
    expect(await retiredAt({ group: 'owner' })).toEqual([['200', undefined]])
    const both = [
      ['200', null],
      ['300', '2026-01-02T03:04:05.678Z'],
    ]
    expect((await retiredAt({ lifecycle: 'all' })).toSorted()).toEqual(both)
    expect((await retiredAt({ lifecycle: 'all', group: 'owner' })).toSorted()).toEqual(both)
    expect(await retiredAt({ lifecycle: 'all', state: 'OR' })).toEqual([['200', null]])
    expect(await retiredAt({ lifecycle: 'all', county: 'king' })).toEqual([['300', '2026-01-02T03:04:05.678Z']])
    await retire(null)
    expect((await retiredAt({})).toSorted()).toEqual([
      ['200', undefined],
      ['300', undefined],
    ])
  })

  test('punctuation alone finds nothing and causes no error', async () => {
    expect(await all('&&')).toEqual([])
    expect(await all('"\' OR zq=zq --', { state: 'KS' })).toEqual([])
    expect(await all('x'.repeat(500))).toEqual([])
  })
})

test('Meilisearch down: pg_trgm answers within 1 s, the response says so, and Meilisearch is used again when it is back, even if nobody searches', async () => {
  const target = new URL(meili.url)
  let away = false
  const proxy = Bun.serve({
    port: 0,
    fetch: async (request) => {
      if (away) return new Response('{"message":"no","code":"internal","type":"internal","link":""}', { status: 500 })
      const { pathname, search } = new URL(request.url)
      return fetch(new URL(pathname + search, target), {
        method: request.method,
        headers: request.headers,
        body: await request.text(),
      })
    },
  })
  const changes: boolean[] = []
  const search = createSearch({
    sql,
    meili: { url: `http://127.0.0.1:${proxy.port}`, masterKey: meili.masterKey },
    indexPrefix,
    limits: PATIENT,
    onHealthChange: (_, healthy) => changes.push(healthy),
  })
  expect((await ask(search, 'quillfeather')).degraded).toBe(false)
  away = true
  const askOnce = async () => {
    const fresh = createSearch({ sql, meili: { url: `http://127.0.0.1:${proxy.port}`, masterKey: null }, indexPrefix })
    expect(await ask(fresh, 'quillfeather')).toMatchObject({ degraded: true, hits: [{ source_parcel_id: '202' }] })
  }
  expect(await shortestTime(1_000, askOnce)).toBeLessThan(1_000)
  expect(await ask(search, 'quillfeather')).toMatchObject({ degraded: true, hits: [{ source_parcel_id: '202' }] })
  away = false
  await waitFor(async () => !(await ask(search, 'quillfeather')).degraded)
  expect(changes).toEqual([false, true])
  away = true
  expect(await ask(search, 'quillfeather')).toMatchObject({ degraded: true })
  away = false
  // Nobody searches. Monitoring must not report until the next search that Meilisearch is down.
  await waitFor(() => changes.length === 4)
  expect(changes).toEqual([false, true, false, true])
  await proxy.stop(true)
})

test('an index built without the attribute of a filter: PostgreSQL answers that search, and Meilisearch still answers others', async () => {
  const changes: boolean[] = []
  const proxy = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const body = await request.text()
      if (!body.includes('county_name IN')) {
        const { pathname } = new URL(request.url)
        return fetch(new URL(pathname, meili.url), { method: request.method, headers: request.headers, body })
      }
      const error = { message: 'not filterable', code: 'invalid_search_filter', type: 'invalid_request', link: '' }
      return Response.json(error, { status: 400 })
    },
  })
  const address = { url: `http://127.0.0.1:${proxy.port}`, masterKey: meili.masterKey }
  const search = createSearch({
    sql,
    meili: address,
    indexPrefix,
    limits: PATIENT,
    onHealthChange: (_, healthy) => changes.push(healthy),
  })
  const filtered = await ask(search, 'quillfeather', { county: 'washington' })
  expect(filtered).toMatchObject({ degraded: true, hits: [{ source_parcel_id: '202' }] })
  expect((await ask(search, 'quillfeather')).degraded).toBe(false)
  expect(changes).toEqual([])
  await proxy.stop(true)
})

test('an index that an earlier version built: PostgreSQL answers until it is rebuilt', async () => {
  const changes: boolean[] = []
  const proxy = startMeilisearchProxy(() => meili.url, {
    rewriteAnswer: (_, body) => body.replaceAll(CANDIDATE_ATTRIBUTE, 'owner_name'),
  })
  const address = { url: proxy.url, masterKey: meili.masterKey }
  const search = createSearch({
    sql,
    meili: address,
    indexPrefix,
    limits: PATIENT,
    onHealthChange: (_, healthy) => changes.push(healthy),
  })
  expect(await ask(search, 'quillfeather')).toMatchObject({ degraded: true, hits: [{ source_parcel_id: '202' }] })
  expect(changes).toEqual([])
  await proxy.stop()
})

test('Meilisearch slow: pg_trgm answers within 1 s', async () => {
  const proxy = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) })
  const askOnce = async () => {
    const search = createSearch({ sql, meili: { url: `http://127.0.0.1:${proxy.port}`, masterKey: null }, indexPrefix })
    expect(await ask(search, 'quillfeather')).toMatchObject({ degraded: true, hits: [{ source_parcel_id: '202' }] })
  }
  expect(await shortestTime(1_000, askOnce)).toBeLessThan(1_000)
  await proxy.stop(true)
})

test('grouped by owner, the parcels of one owner leave room for all others on the road, even for those without an owner', async () => {
  const { hits } = await ask(engines.Meilisearch, 'common rd', { group: 'owner' })
  expect(hits.map(nameOf).toSorted()).toEqual(['CITY OF MANYFIELDS', 'n1', 'n2', 'n3'])
})

test('a narrower query is sent only if the wider one matches more records than it returns', async () => {
  const sent: { q: string; limit: number }[][] = []
  const proxy = startMeilisearchProxy(() => meili.url, {
    rewriteRequest: (body) => {
      sent.push(JSON.parse(body).queries)
      return body
    },
  })
  const address = { url: proxy.url, masterKey: meili.masterKey }
  const search = createSearch({ sql, meili: address, indexPrefix, limits: PATIENT })
  const textsOf = async (q: string) => {
    sent.length = 0
    await ask(search, q, { types: ['parcels'] })
    return sent.map((queries) => queries.map((query) => query.q))
  }
  // The vocabulary says that no record has a word that begins with "ks".
  await search.refreshVocabulary()
  expect(await textsOf('testermann john or')).toEqual([['"testermann" "john"']])
  // The empty text has a filter: owners whose names begin with the query.
  expect(await textsOf('of manyfields ks')).toEqual([['"of" "manyfields"'], ['"of" "manyfields" "ks"', '']])
  await proxy.stop()
})

test('a full queue (503) is retried once before PostgreSQL is used', async () => {
  let asked = 0
  const proxy = Bun.serve({
    port: 0,
    fetch: () => {
      asked++
      return new Response('{"message":"busy","code":"too_many_search_requests","type":"system","link":""}', {
        status: 503,
      })
    },
  })
  const address = { url: `http://127.0.0.1:${proxy.port}`, masterKey: null }
  const search = createSearch({ sql, meili: address, limits: PATIENT })
  expect((await ask(search, 'quillfeather')).degraded).toBe(true)
  expect(asked).toBe(2)
  await proxy.stop(true)
})

test('a search waits for a busy but healthy Meilisearch, and does not use PostgreSQL', async () => {
  const proxy = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const body = request.method === 'GET' ? null : await request.text()
      if (pathname === '/multi-search') await Bun.sleep(1_200)
      return fetch(new URL(pathname, meili.url), { method: request.method, headers: request.headers, body })
    },
  })
  const address = { url: `http://127.0.0.1:${proxy.port}`, masterKey: meili.masterKey }
  const search = createSearch({ sql, meili: address, indexPrefix })
  expect(await ask(search, 'quillfeather')).toMatchObject({ degraded: false, hits: [{ source_parcel_id: '202' }] })
  await proxy.stop(true)
})

test('300 concurrent searches reach Meilisearch a few at a time, and it answers all of them', async () => {
  let stillRunning = 0
  let most = 0
  const proxy = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const { method, headers } = request
      // On a slow machine, the service also checks the health of Meilisearch.
      if (pathname !== '/multi-search') return fetch(new URL(pathname, meili.url), { method, headers })
      most = Math.max(most, ++stillRunning)
      const body = await request.text()
      await Bun.sleep(10)
      const answer = await fetch(new URL(pathname, meili.url), { method, headers, body })
      stillRunning--
      return answer
    },
  })
  const address = { url: `http://127.0.0.1:${proxy.port}`, masterKey: meili.masterKey }
  const search = createSearch({ sql, meili: address, indexPrefix })
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      ask(search, 'quillfeather', { group: n % 2 === 0 ? 'owner' : null }, { id: `caller ${n % 3}` }),
    ),
  )
  for (const answer of answers) expect(answer).toMatchObject({ degraded: false, hits: [{ source_parcel_id: '202' }] })
  expect(most).toBeLessThanOrEqual(8)
  await proxy.stop(true)
})

test('40 concurrent searches without Meilisearch are all answered', async () => {
  const search = createSearch({ sql, meili: null })
  const countUnanswered = async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => ask(search, 'quillfaether olga').catch(nullIfUnavailable)),
    )
    return answers.filter((answer) => answer?.hits.map(nameOf).join() !== '202').length
  }
  expect(await leastOf(1, countUnanswered)).toBe(0)
})

test('a query with two readings has one second in total, and waits once for a stalled Meilisearch', async () => {
  let asked = 0
  const proxy = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      if (url.endsWith('/multi-search')) asked++
      return new Promise<Response>(() => {})
    },
  })
  const timeOnce = async () => {
    asked = 0
    const search = createSearch({ sql, meili: { url: `http://127.0.0.1:${proxy.port}`, masterKey: null }, indexPrefix })
    const startedAt = performance.now()
    const answer = await ask(search, 'nothing like this co').catch(nullIfUnavailable)
    const ms = performance.now() - startedAt
    expect(asked).toBe(1)
    if (answer === null) return Number.POSITIVE_INFINITY
    expect(answer.degraded).toBe(true)
    return ms
  }
  expect(await leastOf(1_000, timeOnce)).toBeLessThan(1_000)
  await proxy.stop(true)
})

test('among 20,000 parcels PostgreSQL finds an owner on a common road, and an owner in a city, without reading the other parcels', async () => {
  const connection = await sql.reserve()
  await connection`begin`
  await connection`
    insert into parcels (source, source_parcel_id, owner_name, situs_address, situs_city)
    select 'crowd_ks', 'many ' || n, 'RESIDENT ' || n, n || ' COMMON RD', 'FERNDALE' from generate_series(1, 20000) n
  `
  await connection`analyze parcels`
  await connection`set local enable_seqscan = off`
  const onRoad = ['bridgewater', 'common'].map((text) => ({ spellings: [text], isIndexed: true }))
  const inCity = ['olga', 'ferndale'].map((text) => ({ spellings: [text], isIndexed: text === 'olga' }))
  for (const words of [onRoad, inCity]) {
    const query = listParcelsByWords(connection, words, LISTED_PARCELS, 20)
    expect(await countRowsRead(connection, query, 'parcels')).toBeLessThan(20)
  }
  await connection`rollback`
  connection.release()
})

test('searches that PostgreSQL answers too late leave no queries behind that others wait for', async () => {
  const proxy = await startProxy(Number(new URL(url).port))
  const distant = connectDatabase(proxy.through(url), { max: 8, patience: 'interactive' })
  const search = createSearch({ sql: distant, meili: null })
  await Promise.all(Array.from({ length: 8 }, () => distant`select pg_sleep(0.1)`))
  proxy.delay(300)
  for (let asked = 0; asked < 10; asked++) {
    const failure = await ask(search, `quill feather ${asked}`).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'search_unavailable' })
  }
  // Those of the last search, whose transactions end after a few round trips.
  expect(readPoolUse(distant).waiting).toBeLessThan(8)
  await proxy.stop()
  await distant.end({ timeout: 0 })
})

test('a search does not wait for PostgreSQL when all its connections are busy', async () => {
  const narrow = connectDatabase(url, { max: 1 })
  let isFree = false
  const blocking = narrow`select pg_sleep(30)`.then(
    () => {
      isFree = true
    },
    () => {},
  )
  const search = createSearch({ sql: narrow, meili: null })
  const askOnce = async () => {
    const failure = await ask(search, 'quillfeather').catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'search_unavailable',
      message: 'Search is not available at the moment. Try again in a few seconds.',
    })
  }
  expect(await shortestTime(1_000, askOnce)).toBeLessThan(1_000)
  expect(isFree).toBe(false)
  await narrow.end({ timeout: 0 })
  await blocking
})

test('on a street of 1,203 houses that lacks the house number, the nearest ones are found', async () => {
  const search = createSearch({ sql, meili, indexPrefix, limits: PATIENT })
  const { hits } = await ask(search, '4990 common rd')
  expect(hits.slice(0, 6).map(nameOf)).toEqual(['c499', 'c490', 'n1', 'n2', 'n3', 'c1199'])
})

test.each([
  ['c497', '497 comon rd apt 3'],
  ['c499', '4990 common rd apt 3'],
  ['c499', 'common rd 4990'],
  ['c497', 'comon rd 497'],
])('the parcel %s is the first hit of "%s"', async (parcel, q) => {
  const search = createSearch({ sql, meili, indexPrefix, limits: PATIENT })
  await search.refreshVocabulary()
  expect(nameOf((await ask(search, q)).hits[0])).toBe(parcel)
})

test('a house number with too many digits for a number of Meilisearch is searched, too', async () => {
  const search = createSearch({ sql, meili, indexPrefix, limits: PATIENT })
  const { hits, degraded } = await ask(search, `${'9'.repeat(30)} common rd`)
  expect([degraded, hits.length > 0]).toEqual([false, true])
})

describe('match levels', () => {
  /** Meilisearch with a count of its requests. */
  const watch = async () => {
    const asked: { q: string }[][] = []
    const proxy = startMeilisearchProxy(() => meili.url, {
      rewriteRequest: (body) => {
        asked.push(JSON.parse(body).queries)
        return body
      },
    })
    const address = { url: proxy.url, masterKey: meili.masterKey }
    const search = createSearch({ sql, meili: address, indexPrefix, limits: PATIENT })
    await search.refreshVocabulary()
    return { search, asked, stop: proxy.stop }
  }

  test.each([
    'quillfeather olga ',
    'quillfaether olga',
    '900 nw oak court',
    '123 north main street apt 4',
    'testerman jon willowbrook',
  ])('"%s" is found by one request, in which only a word that is still being typed may have typos', async (q) => {
    const { search, asked, stop } = await watch()
    expect((await ask(search, q)).hits.length).toBeGreaterThan(0)
    expect(asked.length).toBe(1)
    for (const query of asked[0] ?? []) expect(query.q.replaceAll(/"[^"]*"/g, '').trim()).toMatch(/^\S*$/)
    await stop()
  })

  test('an extra word does not hide the hit, and loosens the match if another record has it', async () => {
    const { search, asked, stop } = await watch()
    expect((await ask(search, 'quillfeather zzyzx olga')).hits.map(nameOf)[0]).toBe('202')
    expect(asked.length).toBe(1)
    expect((await ask(search, 'quillfeather manyfields olga')).hits.map(nameOf)[0]).toBe('202')
    expect(asked.length).toBeGreaterThan(2)
    await stop()
  })

  test('a misspelling that one record has, too, does not hide the records with the common spelling', async () => {
    const { search, stop } = await watch()
    const { hits, corrected } = await ask(search, 'comon rd', { types: ['parcels'] })
    expect(hits[0]).toMatchObject({ situs_address: expect.stringContaining('COMMON RD') })
    expect(corrected).toBeNull()
    expect((await ask(search, 'otterley comon rd')).hits.map(nameOf)[0]).toBe('n4')
    await stop()
  })

  test('the reported correction is the one that found the best hit', async () => {
    const { search, stop } = await watch()
    expect((await ask(search, 'quillfaether olga')).corrected).toBe('quillfeather olga')
    expect((await ask(search, '900 nw aok ct')).corrected).toBe('900 nw oak ct')
    // Found by its postal form, "nw oak ct", but shown as people write it.
    expect((await ask(search, 'nw aok court ')).corrected).toBe('nw oak court')
    // A house number is not a misspelled word.
    expect((await ask(search, '090 nw oak ct')).corrected).toBeNull()
    expect((await ask(search, 'quillfeather olga')).corrected).toBeNull()
    // The word is first replaced, because no record has both words, and then accepted.
    expect((await ask(search, 'vanderbeek manyfields')).corrected).toBeNull()
    await stop()
  })
})

test.each([
  ['an address within a sentence', 'they showed us 900 nw oak ct and we liked the garden', '202'],
  ['a house number in words', 'seven hundred two common rd', 'c702'],
])('%s is found: "%s"', async (_kind, q, expected) => {
  const { hits, corrected } = await ask(engines.Meilisearch, q)
  expect(hits.map(nameOf)[0]).toBe(expected)
  expect(corrected).toBeNull()
})

test('a search that waited longer than its time budget is still sent, or reports that search is unavailable', async () => {
  const search = createSearch({ sql, meili, indexPrefix })
  const asked = ask(search, 'quillfeather').catch((error: unknown) => error)
  const until = performance.now() + 1_000
  while (performance.now() < until);
  const outcome = await asked
  if (!(outcome instanceof ServiceError)) expect(outcome).toMatchObject({ hits: [{ source_parcel_id: '202' }] })
})

test.each([700, 6_000])(
  'if the process itself stops for %d ms, the answer of Meilisearch that arrived meanwhile is read',
  async (stoppedMs) => {
    const gone = connectDatabase('postgres://nobody@127.0.0.1:1/none')
    const search = createSearch({ sql: gone, meili, indexPrefix })
    const sent = Promise.withResolvers<void>()
    const { fetch } = globalThis
    using _ = spyOn(globalThis, 'fetch').mockImplementation(((...request: Parameters<typeof fetch>) => {
      sent.resolve()
      return fetch(...request)
    }) as typeof fetch)
    const asked = ask(search, 'quillfeather')
    await sent.promise
    // A thread of its own sends the request meanwhile.
    Bun.sleepSync(stoppedMs)
    expect(await asked).toMatchObject({ degraded: false, hits: [{ source_parcel_id: '202' }] })
    await gone.end()
  },
)

test('if Meilisearch and PostgreSQL are both late, the answer of Meilisearch is used', async () => {
  const proxy = startMeilisearchProxy(() => meili.url, { hold: () => Bun.sleep(1_500) })
  const postgres = await startProxy(Number(new URL(url).port))
  const distant = connectDatabase(postgres.through(url), { max: 8, patience: 'interactive' })
  await distant`select 1`
  postgres.delay(1_000)
  const address = { url: proxy.url, masterKey: meili.masterKey }
  const search = createSearch({ sql: distant, meili: address, indexPrefix })
  expect(await ask(search, 'quillfeather')).toMatchObject({ degraded: false, hits: [{ source_parcel_id: '202' }] })
  await distant.end()
  await Promise.all([proxy.stop(), postgres.stop()])
})

test('while Meilisearch is paused after a failure, it is asked all the same if PostgreSQL is late', async () => {
  let isAway = true
  const proxy = startMeilisearchProxy(() => (isAway ? null : meili.url))
  const address = { url: proxy.url, masterKey: meili.masterKey }
  const limits = { totalMs: 900, wideningMs: 150, postgresMs: 0 }
  const search = createSearch({ sql, meili: address, indexPrefix, limits })
  const failure = await ask(search, 'quillfeather').catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'search_unavailable' })
  isAway = false
  expect(await ask(search, 'quillfeather')).toMatchObject({ degraded: false, hits: [{ source_parcel_id: '202' }] })
  await proxy.stop()
})

test('neither engine answers: search_unavailable', async () => {
  const gone = connectDatabase('postgres://nobody@127.0.0.1:1/none')
  const search = createSearch({ sql: gone, meili: { url: 'http://127.0.0.1:1', masterKey: null } })
  const failure = await ask(search, 'anything').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ServiceError)
  expect(failure).toMatchObject({ code: 'search_unavailable' })
  await gone.end()
})
