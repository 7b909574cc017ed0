import { describe, expect, test } from 'bun:test'
import { connectDatabase, type Transaction } from '../../core/postgres/database'
import { upsertEntities } from '../../drizzle/queries/entities/upsert-entities'
import { insertParcels, insertScrapedParcels, isStoredParcel } from '../../drizzle/queries/parcels/insert-parcels'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import type { ParcelInput } from '../../drizzle/records'
import { createTestDatabase, waitFor } from '../support/servers'

const { sql, url } = await createTestDatabase()
await sql`insert into sources (source, state, county_name, vendor, base_url) values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`

const outbox = async () => (await sql`delete from search_outbox returning kind, id`).map((row) => row.kind).sort()

test('a second load of the same rows writes nothing, and does not change updated_at or the outbox', async () => {
  const rows = [{ sourceParcelId: '1', ownerName: 'Ada Elm', assessedValue: 5 }, { sourceParcelId: '2' }]
  expect(await upsertParcels(sql, 'elm', rows)).toEqual({ inserted: 2, updated: 0, unchanged: 0 })
  expect(await outbox()).toEqual(['parcel', 'parcel'])
  const before = await sql`select * from parcels order by id`
  expect(await upsertParcels(sql, 'elm', rows)).toEqual({ inserted: 0, updated: 0, unchanged: 2 })
  expect(await outbox()).toEqual([])
  expect([...(await sql`select * from parcels order by id`)]).toEqual([...before])
})

test('an area that another format writes with fewer digits changes nothing, and a really different one does', async () => {
  const load = (acreage: number | null) =>
    upsertParcels(sql, 'elm', [{ sourceParcelId: 'area', acreage }], undefined, ['acreage'])
  const stored = async () =>
    (await sql`select acreage from parcels where source = 'elm' and source_parcel_id = 'area'`)[0]?.acreage
  await load(7_849.999872 / 43_560)
  for (const rounded of [0.1802112, 0.180211200000001, 7_849.999872 / 43_560]) {
    expect(await load(rounded)).toEqual({ inserted: 0, updated: 0, unchanged: 1 })
    expect(await stored()).toBe(7_849.999872 / 43_560)
  }
  for (const other of [0.180_211_3, 0, 1e-9, null, 0.25]) {
    expect(await load(other)).toEqual({ inserted: 0, updated: 1, unchanged: 0 })
    expect(await stored()).toBe(other)
  }
  await sql`delete from parcels where source_parcel_id = 'area'`
  await outbox()
})

test('an upsert keeps the stored value of every field that it leaves out', async () => {
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '1', situsCity: 'Elmville' }])
  const [row] =
    await sql`select owner_name, owner_names_all, assessed_value, situs_city from parcels where source_parcel_id = '1'`
  expect(row).toEqual({
    owner_name: 'Ada Elm',
    owner_names_all: ['Ada Elm'],
    assessed_value: '5',
    situs_city: 'Elmville',
  })
})

test('an insert of new parcels stores the same rows as an upsert, with every character of their texts', async () => {
  const square = [
    [-120.5, 45],
    [-120.25, 45],
    [-120.25, 45.125],
    [-120.5, 45],
  ]
  const rows: ParcelInput[] = [
    {
      sourceParcelId: 'I-1 {a,"b"}\\',
      origin: { line: 1, keeps: ['acreage'] },
      geom: { type: 'MultiPolygon', coordinates: [[square]] },
      bbox: [-120.5, 45, -120.25, 45.125],
      acreage: 1e-7,
      ownerName: `O'NEIL \\ "PEÑA", {NULL}`,
      ownerNamesAll: ['A "B", C', 'D\\', 'null', ''],
      ownerMailingAddress: 'null',
      situsAddress: '',
      isAgricultural: true,
      assessedValue: 9_007_199_254_740_991,
      valueLand: 0,
      valueImprovement: -5,
    },
    { sourceParcelId: 'I-2', ownerName: 'ONLY OWNER', isAgricultural: false, situsCity: 'Ænon\t\n東' },
    { sourceParcelId: 'I-3', geom: null, bbox: null, ownerName: null, ownerNamesAll: null },
  ]
  await sql`insert into sources (source, state, county_name, vendor, base_url)
    select name, 'OR', name, 'arcgis-rest', 'https://' || name || '.example' from unnest('{upserted,inserted}'::text[]) name`
  const reason = { cause: 'ingest', id: '00000000-0000-7000-8000-000000000001' } as const
  await upsertParcels(sql, 'upserted', rows, reason)
  await insertParcels(sql, 'inserted', rows, reason)
  const read = async (source: string) =>
    (
      await sql`
        select (to_jsonb(p) - '{id,source,ingested_at,updated_at,geom}'::text[]) || jsonb_build_object('geom', geom::text) as parcel,
          (select jsonb_agg(to_jsonb(c) - '{version,at,parcel_id,source}'::text[]) from parcel_changes c where c.parcel_id = p.id) as changes
        from parcels p where source = ${source} order by source_parcel_id`
    ).map((row) => row)
  const inserted = await read('inserted')
  expect(inserted).toHaveLength(rows.length)
  expect(inserted).toEqual(await read('upserted'))
})

test('an insert of a batch with a stored parcel fails as a whole, and can be recognized', async () => {
  const rows = [{ sourceParcelId: 'new' }, { sourceParcelId: 'I-2' }]
  const failure = await insertParcels(sql, 'inserted', rows, { cause: 'ingest', id: null }).catch((error) => error)
  expect([isStoredParcel(failure), isStoredParcel(new Error('another'))]).toEqual([true, false])
  expect(await sql`select from parcels where source = 'inserted' and source_parcel_id = 'new'`).toHaveLength(0)
})

test('a field that is cleared becomes empty where a row has no value, unless the row keeps it', async () => {
  const values = { ownerName: 'Ada Elm', situsCity: 'Elmville', acreage: 2, zoningCode: 'R' }
  await upsertParcels(sql, 'elm', [
    { sourceParcelId: 'C1', ...values },
    { sourceParcelId: 'C2', ...values },
  ])
  const rows = [
    { sourceParcelId: 'C1', zoningCode: 'R' },
    { sourceParcelId: 'C2', zoningCode: 'R', origin: { line: 3, keeps: ['acreage' as const] } },
    { sourceParcelId: 'C3', origin: { line: 4, keeps: ['acreage' as const] } },
  ]
  const clear = () => upsertParcels(sql, 'elm', rows, undefined, ['owner_name', 'acreage', 'zoning_code'])
  expect(await clear()).toEqual({ inserted: 1, updated: 2, unchanged: 0 })
  expect([
    ...(await sql`
      select owner_name, owner_names_all, situs_city, acreage, zoning_code, origin from parcels
      where source_parcel_id like 'C%' order by source_parcel_id`),
  ]).toEqual([
    { owner_name: null, owner_names_all: [], situs_city: 'Elmville', acreage: null, zoning_code: 'R', origin: null },
    {
      owner_name: null,
      owner_names_all: [],
      situs_city: 'Elmville',
      acreage: 2,
      zoning_code: 'R',
      origin: { line: 3 },
    },
    { owner_name: null, owner_names_all: [], situs_city: null, acreage: null, zoning_code: null, origin: { line: 4 } },
  ])
  expect(await clear()).toEqual({ inserted: 0, updated: 0, unchanged: 3 })
  await sql`delete from parcels where source_parcel_id like 'C%'`
})

test('entities and parcels of the same normalized owner are linked, counted and unlinked from both sides', async () => {
  const count = async () =>
    (await sql`select linked_parcel_count as n from entities where registry_number = 'R1'`)[0]?.n
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '3', ownerName: 'ACME HOLDINGS, L.L.C.' }])
  await upsertEntities(sql, 'OR', [{ registryNumber: 'R1', name: 'Acme Holdings LLC' }])
  expect(await count()).toBe(1)
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '4', ownerName: 'Acme Holdings Limited Liability Company' }])
  expect(await count()).toBe(2)
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '3', ownerName: 'Bo Birch' }])
  expect(await count()).toBe(1)
  await sql`delete from parcels where source_parcel_id = '4'`
  expect(await count()).toBe(0)
  await upsertEntities(sql, 'OR', [{ registryNumber: 'R1', name: 'Bo Birch' }])
  expect(await count()).toBe(1)
})

test('a company that is added while a parcel of it is added, changes its owner or returns is linked to the parcel', async () => {
  await sql`
    insert into parcels (source, source_parcel_id, owner_name, retired_at)
    values ('elm', 'L-changed', null, null), ('elm', 'L-returned', 'Link returned', now())`
  const writes = {
    added: (tx: Transaction) =>
      tx`insert into parcels (source, source_parcel_id, owner_name) values ('elm', 'L-added', 'Link added')`,
    changed: (tx: Transaction) =>
      tx`update parcels set owner_name = 'Link changed' where source_parcel_id = 'L-changed'`,
    returned: (tx: Transaction) => tx`update parcels set retired_at = null where source_parcel_id = 'L-returned'`,
  }
  for (const [what, write] of Object.entries(writes)) {
    const registryNumber = `L-${what}`
    let isAdded = false
    const { adding } = await sql.begin(async (tx) => {
      await write(tx)
      const adding = upsertEntities(sql, 'OR', [{ registryNumber, name: `Link ${what}` }]).finally(() => {
        isAdded = true
      })
      const findWaiting = () => sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`
      await waitFor(async () => isAdded || (await findWaiting()).length > 0)
      return { adding }
    })
    await adding
    expect(
      await sql`select registry_number, linked_parcel_count from entities where registry_number = ${registryNumber}`,
    ).toMatchObject([{ registry_number: registryNumber, linked_parcel_count: 1 }])
  }
  await sql`delete from parcels where source_parcel_id like 'L-%'`
})

describe('a boundary', () => {
  const bbox = [-120, 43, -119.9, 43.1] as const
  const outer = [
    [-120, 43],
    [-119.9, 43],
    [-119.9, 43.1],
    [-120, 43.1],
  ]
  const hole = [
    [-119.98, 43.02],
    [-119.98, 43.04],
    [-119.96, 43.04],
    [-119.96, 43.02],
  ]
  const island = [
    [-119.97, 43.03],
    [-119.965, 43.03],
    [-119.965, 43.035],
  ]
  const boundaryOf = (...polygons: number[][][][]) => ({
    type: 'MultiPolygon' as const,
    coordinates: polygons.map((rings) => rings.map((ring) => [...ring, ring[0] as number[]])),
  })
  const from = (start: number, ring: number[][]) => [...ring.slice(start), ...ring.slice(0, start)]
  const stored = boundaryOf([outer, hole], [island])
  const load = (sourceParcelId: string, geom: typeof stored, ownerName: string) =>
    upsertParcels(sql, 'elm', [{ sourceParcelId, ownerName, geom, bbox: [...bbox] }])
  const read = async (id: string) =>
    (
      await sql`
      select owner_name, geom::text as geom,
        array(select distinct jsonb_object_keys(changes) from parcel_changes c where c.parcel_id = p.id and c.action = 'changed') as changed
      from parcels p where source = 'elm' and source_parcel_id = ${id}`
    )[0]

  test('whose rings begin at another position, or are in another order, is the same', async () => {
    await load('B-1', stored, 'ELM')
    const other = boundaryOf([from(2, island)], [from(1, outer), from(3, hole)])
    expect(await load('B-1', other, 'ELM')).toEqual({ inserted: 0, updated: 0, unchanged: 1 })
    expect((await load('B-1', other, 'ASH')).updated).toBe(1)
    expect(await read('B-1')).toEqual({
      owner_name: 'ASH',
      geom: JSON.stringify(stored),
      changed: ['owner_name', 'owner_names_all'],
    })
  })

  test.each([
    [
      'a position inside its box moved',
      boundaryOf(
        [
          outer,
          [
            [-119.98, 43.02],
            [-119.98, 43.04],
            [-119.96, 43.03],
            [-119.96, 43.02],
          ],
        ],
        [island],
      ),
    ],
    ['a hole became an island', boundaryOf([outer], [hole.toReversed()], [island])],
    ['it has one ring less', boundaryOf([outer, hole])],
  ])('is another one if %s', async (change, other) => {
    const id = `B-${change}`
    await load(id, stored, 'ELM')
    expect((await load(id, other, 'ELM')).updated).toBe(1)
    expect(await read(id)).toEqual({ owner_name: 'ELM', geom: JSON.stringify(other), changed: ['geom'] })
  })
})

test('geometry is stored with the digits that it had in the input', async () => {
  const geom = {
    type: 'MultiPolygon' as const,
    coordinates: [
      [
        [
          [-71.1112704, 42.36],
          [-71.1, 42.36],
          [-71.1, 42.37],
          [-71.1112704, 42.36],
        ],
      ],
    ],
  }
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '5', geom, bbox: [-71.1112704, 42.36, -71.1, 42.37] }])
  const [row] = await sql`select geom::text as geom, bbox::text as bbox from parcels where source_parcel_id = '5'`
  expect(row).toEqual({ geom: JSON.stringify(geom), bbox: '(-71.1,42.37),(-71.1112704,42.36)' })
})

test('two concurrent loads that move parcels between the same owners do not deadlock, and the counts stay right', async () => {
  const owners = Array.from({ length: 200 }, (_, index) => `Company ${index} LLC`)
  await upsertEntities(
    sql,
    'OR',
    owners.map((name, index) => ({ registryNumber: `C${index}`, name })),
  )
  // One load moves parcels from even companies to odd ones while the other moves them back.
  const load = (set: number, round: number) =>
    upsertParcels(
      sql,
      'elm',
      Array.from({ length: 100 }, (_, index) => ({
        sourceParcelId: `moving-${set}-${index}`,
        ownerName: owners[(2 * index + ((set + round) % 2)) % owners.length] ?? null,
      })),
    )
  for (let round = 0; round < 10; round++) await Promise.all([0, 1, 2, 3].map((set) => load(set, round)))
  const wrong = await sql`
    select e.name from entities e
    where linked_parcel_count <> (select count(*) from parcels p where p.owner_name_normalized = e.name_normalized)
      or linked_parcel_count <> (select count(*) from entity_parcels l where l.entity_id = e.id)`
  expect([...wrong]).toEqual([])
})

test('names are normalized: lower case, no punctuation or accents, and the first of each long company form becomes short', async () => {
  const names = {
    'ACME HOLDINGS, L.L.C.': 'acme holdings llc',
    'Acme  Limited Liability Company': 'acme llc',
    'ACME HOLDINGS L L C': 'acme holdings llc',
    'ACME LIMITED LIABILITY CO': 'acme llc',
    'ACME LTD. LIABILITY CO.': 'acme llc',
    'ELM DENTAL P.L.L.C.': 'elm dental pllc',
    'ELM DENTAL P L L C': 'elm dental pllc',
    'ELM & ASH LIMITED LIABILITY PARTNERSHIP': 'elm and ash llp',
    'ELM & ASH L L P': 'elm and ash llp',
    'ALDER LIMITED PARTNERSHIP': 'alder lp',
    'ALDER LTD PARTNERSHIP': 'alder lp',
    'ALDER LIMITED': 'alder ltd',
    'ELM JUNE L P': 'elm june l p',
    'ELM JUNE & BO L L': 'elm june and bo l l',
    'ELM & ASH CORPORATION': 'elm and ash corp',
    "O'Neil Comp.any, Incorporated": 'oneil co inc',
    'Company Company Limited': 'co company ltd',
    'UNLIMITED ACCOMPANYING TRUST': 'unlimited accompanying trust',
    'Peña Æble': 'pena æble',
    'SMITH, JOHN & MARY': 'smith john and mary',
    'SMITH,JOHN &MARY - C/O "ACME"': 'smith john and mary c o acme',
    '-- & --': 'and',
    '...': null,
  }
  const rows = await sql<{ name: string; normalized: string | null }[]>`
    select name, normalize_name(name) as normalized from unnest(${Object.keys(names)}::text[]) as names (name)`
  expect(Object.fromEntries(rows.map(({ name, normalized }) => [name, normalized]))).toEqual(names)
  expect((await sql`select normalize_name(null) as none`)[0]?.none).toBeNull()
})

test('after new parcels of a scrape, a connection that plans each statement each time does so again', async () => {
  const worker = connectDatabase(url, { max: 1, planned: 'each' })
  const modes = await worker.begin(async (tx) => {
    const [before] = await tx`show plan_cache_mode`
    const id = Bun.randomUUIDv7()
    const row = {
      sourceParcelId: 'planned',
      id,
      causeId: null,
      origin: { adapter: 'test', version: '1' },
      scrapedBy: 'test',
      scrapedAt: null,
      scrapeData: {},
    }
    const reason = { cause: 'scrape', crawlId: null } as const
    expect(await insertScrapedParcels(tx, 'elm', [row], reason)).toEqual(new Set(['planned']))
    const [after] = await tx`show plan_cache_mode`
    return [before?.plan_cache_mode, after?.plan_cache_mode]
  })
  await worker.end()
  expect(modes).toEqual(['force_custom_plan', 'force_custom_plan'])
})

test.each(['scrape_jobs_tally_updated', 'parcels_logged_inserted', 'parcels_logged_updated'])(
  'the plan of the trigger %s is kept, because it only reads the rows of its statement',
  async (name) => {
    const [row] = await sql`select proconfig from pg_proc where proname = ${name}`
    expect(row?.proconfig).toContain('plan_cache_mode=auto')
  },
)
