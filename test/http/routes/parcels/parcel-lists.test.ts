import { describe, expect, test } from 'bun:test'
import type { MultiPolygon, Position } from 'geojson'
import { LISTED_PARCELS } from '../../../../core/parcels/filter'
import { ALL_FIELDS, MAIN_FIELDS } from '../../../../drizzle/queries/parcels/list-fields'
import { parcelFilter } from '../../../../drizzle/queries/parcels/parcel-filter'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { listParcelPages } from '../../../../src/parcels/list-parcel-pages'
import { type ParcelsWanted, toRowJson } from '../../../../src/parcels/list-parcels'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)
await insertCounty(sql, 'oak')
await sql`update sources set county_name = 'Oak' where source = 'oak'`

const multi = (west: number, south: number, size: number): MultiPolygon => ({
  type: 'MultiPolygon',
  coordinates: [
    [
      [
        [west, south],
        [west + size, south],
        [west + size, south + size],
        [west, south + size],
        [west, south],
      ],
    ],
  ],
})

await upsertParcels(sql, 'elm', [
  {
    sourceParcelId: '12-3 A',
    geom: multi(0, 0, 1),
    bbox: [0, 0, 1, 1],
    ownerName: 'ACME HOLDINGS, L.L.C.',
    ownerNamesAll: ['ACME HOLDINGS, L.L.C.', 'ADA "BO" ELM'],
    situsAddress: '1 ELM ST',
    assessedValue: 300_000,
    acreage: 0.25,
    landUseClass: 'Residential',
    zoningCode: 'R-7',
    isAgricultural: false,
  },
  {
    sourceParcelId: '12-4',
    geom: multi(2, 0, 1),
    bbox: [2, 0, 3, 1],
    assessedValue: 100_000,
    acreage: 40,
    isAgricultural: true,
  },
  { sourceParcelId: '12-5', ownerName: 'Acme Holdings LLC', landUseClass: 'Residential vacant' },
  { sourceParcelId: '12-6', ownerName: 'GONE' },
])
await upsertParcels(sql, 'oak', [
  { sourceParcelId: '1', geom: multi(10, 10, 1), bbox: [10, 10, 11, 11], assessedValue: 300_000 },
])
await sql`update parcels set retired_at = '2026-01-02T03:04:05.678Z' where source_parcel_id = '12-6'`
await sql`update parcels set updated_at = '2020-01-01' where source_parcel_id = '12-4'`

const ids = async (query: string): Promise<string[]> => {
  const { status, body } = await call(`/v1/parcels?${query}`)
  if (status !== 200) throw new Error(body.error)
  return body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id)
}

describe('a list', () => {
  test('without a box has every listed parcel, also those without a boundary, by source and id', async () => {
    expect(await ids('state=or')).toEqual(['12-3 A', '12-4', '12-5', '1'])
    const { body } = await call('/v1/parcels?state=or&limit=1')
    expect(body).toEqual({
      count: 1,
      parcels: [
        {
          id: expect.any(String),
          source: 'elm',
          source_parcel_id: '12-3 A',
          owner_name: 'ACME HOLDINGS, L.L.C.',
          situs_address: '1 ELM ST',
          assessed_value: 300_000,
          land_use_class: 'Residential',
        },
      ],
      next: 'elm/12-3 A',
    })
  })

  test.each([
    ['source=oak', ['1']],
    ['source=none', []],
    ['state=wa', []],
    ['state=or&county=oak', ['1']],
    ['county=OAK', ['1']],
    ['county=Oak+County', ['1']],
    ['county=oak+park', []],
    ['owner=acme+holdings+l.l.c.', ['12-3 A', '12-5']],
    ['owner=acme+holdings+l+l+c', ['12-3 A', '12-5']],
    ['owner=acme+holdings+limited+liability+co', ['12-3 A', '12-5']],
    ['parcel_id=123a', ['12-3 A']],
    ['parcel_id=12-3', []],
    ['county=elm&land_use=residential', ['12-3 A', '12-5']],
    ['source=elm&zoning=r-7', ['12-3 A']],
    ['source=elm&zoning=res', ['12-3 A', '12-5']],
    ['source=elm&zoning=%20r-7%20', ['12-3 A']],
    ['source=elm&land_use=%20residential%20', ['12-3 A', '12-5']],
    ['source=elm&min_value=200000', ['12-3 A']],
    ['source=elm&max_value=200000', ['12-4']],
    ['source=elm&min_acres=1&max_acres=40', ['12-4']],
    ['agricultural=true', ['12-4']],
    ['source=elm&agricultural=false', ['12-3 A']],
    ['source=elm&changed_since=2021-01-01', ['12-3 A', '12-5']],
    ['source=elm&has_geometry=false', ['12-5']],
    ['source=elm&has_geometry=true', ['12-3 A', '12-4']],
    ['source=elm&retired=true', ['12-6']],
    ['source=elm&include=retired', ['12-3 A', '12-4', '12-5', '12-6']],
    ['bbox=0,0,20,20&min_value=300000', ['12-3 A', '1']],
    ['bbox=0,0,20,20&source=elm', ['12-3 A', '12-4']],
  ])('%s has %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  test.each([
    ['', 'bbox is missing'],
    ['include=retired&limit=5', 'bbox is missing'],
    ['land_use=r', 'land_use needs a narrower filter: add source, county, owner, parcel_id or bbox'],
    ['state=OR&min_value=5', 'min_value needs a narrower filter: add source, county, owner, parcel_id or bbox'],
    ['changed_since=2021-01-01', 'changed_since needs a narrower filter: add source, county, owner, parcel_id or bbox'],
    ['has_geometry=false', 'has_geometry needs a narrower filter: add source, county, owner, parcel_id or bbox'],
    ['retired=true', 'retired needs a narrower filter: add source, county, owner, parcel_id or bbox'],
    ['agricultural=false', 'agricultural=false needs a narrower filter: add source, county, owner, parcel_id or bbox'],
    ['state=or&sort=acreage', 'sort=acreage needs a narrower filter: add source, county, owner, parcel_id or bbox'],
    ['state=or&sort=owner_name', 'sort must be'],
    ['owner=%2C', 'owner must have a letter or digit'],
    ['retired=yes', 'retired must be true or false'],
    ['state=or&fields=owner', 'fields must be all, or a comma-separated subset of lon'],
    ['state=or&after=x', 'after must be the `next` of the previous page'],
    ['bbox=0,0,1,1&after=elm/1', 'after must be the `next` of the previous page'],
    ['source=elm&as_of=2026-01-01', 'as_of needs bbox'],
    ['state=or&as_of=2026-01-01', 'as_of cannot be combined with state'],
    ['as_of=2026-01-01&bbox=0,0,1,1&fields=acreage', 'as_of cannot be combined with fields'],
    ['source=elm&min_value=2&max_value=1', 'min_value must not be greater than max_value'],
  ])('%s is refused: %s', async (query, error) => {
    expect(await call(`/v1/parcels?${query}`)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(error) },
    })
  })

  test('shows the chosen fields, and with `all` every field', async () => {
    const { body } = await call(
      '/v1/parcels?owner=acme+holdings+llc&fields=source,owner_names_all,bbox,county_name&limit=1',
    )
    expect(body.parcels).toEqual([
      {
        id: expect.any(String),
        source: 'elm',
        source_parcel_id: '12-3 A',
        owner_names_all: ['ACME HOLDINGS, L.L.C.', 'ADA "BO" ELM'],
        county_name: 'Elm',
        bbox: [0, 0, 1, 1],
      },
    ])
    const { body: all } = await call('/v1/parcels?state=or&fields=all')
    for (const row of all.parcels) {
      expect(Object.keys(row).toSorted()).toEqual(['id', 'source', 'source_parcel_id', ...ALL_FIELDS].toSorted())
    }
  })

  test('shows the accounts of a parcel if they are chosen', async () => {
    const account = { account_id: 'R1', unit: '2', owner_name: 'ELM ADA' }
    await sql`update parcels set accounts = ${sql.json([account])} where source_parcel_id = '12-4'`
    const { body } = await call('/v1/parcels?state=or&fields=accounts&sort=source_parcel_id')
    expect(body.parcels.map((row: { accounts: unknown }) => row.accounts)).toContainEqual([account])
    expect(body.parcels.map((row: { accounts: unknown }) => row.accounts)).toContainEqual([])
    await sql`update parcels set accounts = null where source_parcel_id = '12-4'`
  })

  test('shows the boundary in full, simplified, or not at all', async () => {
    const [full] = (await call('/v1/parcels?parcel_id=123a&geometry=full')).body.parcels
    expect(full.geom_geojson).toEqual(multi(0, 0, 1))
    const detailed = structuredClone(multi(0, 0, 1))
    detailed.coordinates[0]?.[0]?.splice(1, 0, [0.5, 0.000001])
    await sql`update parcels set geom = ${sql.json(detailed as never)} where source_parcel_id = '12-4'`
    const [simple] = (await call('/v1/parcels?parcel_id=124&geometry=simplified')).body.parcels
    expect(simple.geom_geojson).toEqual(multi(0, 0, 1))
    await sql`update parcels set geom = ${sql.json(multi(2, 0, 1) as never)}, updated_at = '2020-01-01' where source_parcel_id = '12-4'`
    const [unknown] = (await call('/v1/parcels?parcel_id=125&geometry=simplified')).body.parcels
    expect(unknown.geom_geojson).toBeNull()
  })

  test.each([
    ['assessed_value', ['12-4', '12-3 A', '12-5']],
    ['-assessed_value', ['12-3 A', '12-4', '12-5']],
    ['acreage', ['12-3 A', '12-4', '12-5']],
    ['-acreage', ['12-4', '12-3 A', '12-5']],
    ['updated_at', ['12-4', '12-3 A', '12-5']],
    ['id', ['12-3 A', '12-4', '12-5']],
    ['source_parcel_id', ['12-3 A', '12-4', '12-5']],
  ])('is in the order %s, page by page too', async (sort, expected) => {
    expect(await ids(`source=elm&sort=${sort}`)).toEqual(expected)
    const seen: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const more: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
      const { body } = await call(`/v1/parcels?source=elm&sort=${sort}&limit=1${more}`)
      seen.push(...body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id))
      after = body.next
    }
    expect(seen).toEqual(expected)
  })

  test('refuses the `next` of a list in another order', async () => {
    const lists = ['id', 'source_parcel_id', 'assessed_value', '-assessed_value', 'acreage', 'updated_at'].map(
      (sort) => `source=elm&sort=${sort}`,
    )
    for (const list of lists) {
      const { next } = (await call(`/v1/parcels?${list}&limit=1`)).body
      expect(next).toBeString()
      for (const other of lists.filter((other) => other !== list)) {
        expect(await call(`/v1/parcels?${other}&after=${encodeURIComponent(next)}`)).toMatchObject({
          status: 400,
          body: { error: 'after must be the `next` of the previous page' },
        })
      }
    }
  })
})

test('an export reads the rows of a list page by page, and in a box only parcels whose boundary meets it', async () => {
  const wanted = {
    filter: LISTED_PARCELS,
    fields: MAIN_FIELDS,
    geometry: 'none',
    order: 'parcel',
    after: null,
    place: null,
  } as const
  const read = async (wanted: ParcelsWanted & { place: null }, pageRows: number, maxRows = Infinity) => {
    const pages = await Array.fromAsync(listParcelPages((query) => query(sql, null), wanted, { pageRows, maxRows }))
    expect(pages.every((page) => page.length <= pageRows)).toBe(true)
    return pages.flat().map((row) => JSON.parse(toRowJson(row)))
  }
  expect(await read(wanted, 2, 3)).toHaveLength(3)
  expect(await read(wanted, 2)).toEqual((await call('/v1/parcels?state=or')).body.parcels)
  await insertCounty(sql, 'triangles')
  const triangle: MultiPolygon = {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [20, 20],
          [24, 20],
          [20, 24],
          [20, 20],
        ],
      ],
    ],
  }
  await upsertParcels(sql, 'triangles', [{ sourceParcelId: 't', geom: triangle, bbox: [20, 20, 24, 24] }])
  const inBox = (bbox: [number, number, number, number]) =>
    read({ ...wanted, geometry: 'full', filter: { ...LISTED_PARCELS, bbox } }, 10)
  expect(await inBox([23, 23, 25, 25])).toEqual([])
  expect(await inBox([20.5, 20.5, 25, 25])).toMatchObject([{ source_parcel_id: 't', geom_geojson: triangle }])
})

test('pages of a box have each parcel whose boundary meets it once, wherever the others are in between, and in JSON as in UTF-8', async () => {
  await insertCounty(sql, 'edge')
  // The box of each parcel meets the box that is asked for. The boundaries of those with an x do not.
  const pattern = 'xx.x..xxx.x.....xxxxx..x'
  const [southWest, southEast, northEast, northWest] = [
    [30, 30],
    [34, 30],
    [34, 34],
    [30, 34],
  ] as [Position, Position, Position, Position]
  const upper = [southWest, northEast, northWest, southWest]
  const lower = [southWest, southEast, northEast, southWest]
  await upsertParcels(
    sql,
    'edge',
    [...pattern].map((kind, place) => ({
      sourceParcelId: `${place}`,
      ownerName: place % 3 === 0 ? `PEÑA, "ÉLODIE"\n${place}` : `OWNER ${place},\n`,
      geom: { type: 'MultiPolygon' as const, coordinates: [[kind === 'x' ? upper : lower]] },
      bbox: [30, 30, 34, 34] as [number, number, number, number],
    })),
  )
  // A boundary is stored as its file writes it.
  await sql`update parcels set geom = replace(geom::text, ',', E',\n')::json where source = 'edge'`
  const box = 'bbox=33,29,35,31'
  const expected = [...pattern].flatMap((kind, place) => (kind === 'x' ? [] : [`${place}`]))
  const { body: whole } = await call(`/v1/parcels?${box}&geometry=full`)
  expect(whole.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id).toSorted()).toEqual(
    expected.toSorted(),
  )
  for (const limit of [1, 2, 3, 5, 10, 11, 100]) {
    const rows: Record<string, unknown>[] = []
    for (let after: string | null = ''; after !== null; ) {
      const more: string = after === '' ? '' : `&after=${after}`
      const { body } = await call(`/v1/parcels?${box}&limit=${limit}${more}`)
      expect(body.count).toBe(body.parcels.length)
      expect(body.parcels.length).toBe(Math.min(limit, expected.length - rows.length))
      rows.push(...body.parcels)
      after = body.next
    }
    expect(rows).toEqual(whole.parcels.map(({ geom_geojson: _, ...row }: Record<string, unknown>) => row))
  }
})

test.each(['NFC', 'NFD'] as const)(
  'an owner and an id that are typed in %s are found however the source writes accents',
  async (form) => {
    await insertCounty(sql, form.toLowerCase())
    await upsertParcels(sql, form.toLowerCase(), [
      { sourceParcelId: 'Ñ-1'.normalize('NFC'), ownerName: `JOSÉ PEÑA ${form}`.normalize('NFC') },
      { sourceParcelId: 'Ñ-1'.normalize('NFD'), ownerName: `JOSÉ PEÑA ${form}`.normalize('NFD') },
    ])
    const typed = (text: string) => encodeURIComponent(text.normalize(form))
    expect(await ids(`owner=${typed(`josé peña ${form}`)}`)).toHaveLength(2)
    expect(await ids(`parcel_id=${typed('ñ1')}&source=${form.toLowerCase()}`)).toHaveLength(2)
  },
)

test('an owner is found by index, with or without accents', async () => {
  await upsertParcels(sql, 'oak', [
    { sourceParcelId: 'accent', ownerName: 'MUÑOZ, ÁNGEL' },
    { sourceParcelId: 'plain', ownerName: 'MUNOZ ANGEL' },
  ])
  for (const owner of ['muñoz angel', 'MUNOZ, ANGEL', 'Muñoz Ángel'.normalize('NFD')]) {
    const { body } = await call(`/v1/parcels?owner=${encodeURIComponent(owner)}`)
    expect(body.parcels.map((parcel: { source_parcel_id: string }) => parcel.source_parcel_id)).toEqual([
      'accent',
      'plain',
    ])
  }
  const plan = await sql.begin(async (tx) => {
    await tx`set local enable_seqscan = off`
    return tx`explain select from parcels p where true ${parcelFilter(tx, { ...LISTED_PARCELS, owner: 'MUÑOZ' })}`
  })
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('parcels_owner_name_normalized')
})
