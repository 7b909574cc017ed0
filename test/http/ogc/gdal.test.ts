import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findFreePort } from '../../../src/operations/embedded/child'
import { ADMIN_KEY, createTestApp } from '../test-app'

/* GDAL's OAPIF driver opens the service by one pasted address. */
const PARCELS = 250
const port = await findFreePort()
const baseUrl = `http://127.0.0.1:${port}`
const { app, call, sql } = await createTestApp({ baseUrl })
await seedSampleCounty(sql, { parcels: PARCELS, entities: 5 })
app.listen({ port, hostname: '127.0.0.1' })
const dir = mkdtempSync(join(tmpdir(), 'gdal-'))
afterAll(async () => {
  await app.stop(true)
  rmSync(dir, { recursive: true })
})

const ADDRESS = `OAPIF:${baseUrl}/ogc?key=${ADMIN_KEY}`

const run = async (...command: string[]): Promise<{ out: string; requests: string[] }> => {
  const child = Bun.spawn(command, {
    env: { ...process.env, CPL_DEBUG: 'ON', no_proxy: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect([code, err.match(/^ERROR.*/gm)]).toEqual([0, null])
  return { out, requests: [...err.matchAll(/Fetch\((http\S+)\)/g)].map(([, address = '']) => address) }
}

/** The features of a layer, as GDAL reads them. */
const read = async (layer: string, ...options: string[]) => {
  const file = join(dir, `${crypto.randomUUID()}.geojsonl`)
  const { requests } = await run('ogr2ogr', '-f', 'GeoJSONSeq', file, ADDRESS, layer, '-oo', 'PAGE_SIZE=60', ...options)
  const lines = (await Bun.file(file).text()).split('\n').filter(Boolean)
  // biome-ignore lint/suspicious/noExplicitAny: as written by GDAL
  return { features: lines.map((line): any => JSON.parse(line)), requests }
}

test('the parcels as of a time are read in pages, and each parcel is returned once', async () => {
  const ids: string[] = []
  const before = new Date().toISOString()
  await sql`update parcels set owner_name = 'NEW OWNER'`
  for (
    let path: string | undefined = `/ogc/collections/parcels/items?limit=120&datetime=${before}`;
    path !== undefined;
  ) {
    const { features, links } = JSON.parse((await call(path)).text)
    expect(
      features.some(({ properties }: { properties: { owner_name: string } }) => properties.owner_name === 'NEW OWNER'),
    ).toBe(false)
    ids.push(...features.map(({ id }: { id: string }) => id))
    path = links.find(({ rel }: { rel: string }) => rel === 'next')?.href.slice(baseUrl.length)
  }
  expect([ids.length, new Set(ids).size]).toEqual([PARCELS, PARCELS])
  const rare = `/ogc/collections/parcels/items?datetime=${before}&bbox=-180,-90,180,90&owner_name=NEW%20OWNER`
  expect(JSON.parse((await call(rare)).text).features).toEqual([])
})

const isMissing = Bun.which('ogr2ogr') === null && process.env.CI !== 'true'

describe.skipIf(isMissing)('GDAL', () => {
  test('the collections are layers, with their number of features, extent and types of fields', async () => {
    const { out } = await run('ogrinfo', ADDRESS)
    expect(out).toMatch(/1: parcels .*\(Multi Polygon\)\n2: sample-county .*\(Multi Polygon\)/)
    const { out: layer, requests } = await run('ogrinfo', '-so', ADDRESS, 'sample-county')
    expect(layer).toContain(`Feature Count: ${PARCELS}`)
    expect(layer).toMatch(/Extent: \(-120\.\d+, 43\.\d+\) - \(-120\.\d+, 43\.\d+\)/)
    for (const field of [
      'owner_name: String',
      'owner_names_all: StringList',
      'assessed_value: Real',
      'updated_at: DateTime',
    ])
      expect(layer).toContain(`${field} (`)
    // The collections, the schema and one page.
    expect(requests).toHaveLength(3)
  })

  test('all features of all pages are read, as they are stored', async () => {
    const { features, requests } = await read('sample-county')
    const stored = await sql<{ id: string; owner: string | null; geom: object }[]>`
      select id, owner_name as owner, geom from parcels order by id`
    expect(features.map(({ properties }) => properties.id)).toEqual(stored.map(({ id }) => id))
    expect(features.map(({ properties }) => properties.owner_name)).toEqual(stored.map(({ owner }) => owner))
    expect(features.map(({ geometry }) => geometry.coordinates.flat(2).length)).toEqual(
      stored.map(({ geom }) => (geom as { coordinates: number[][][][] }).coordinates.flat(2).length),
    )
    expect(requests.filter((address) => address.includes('after=')).length).toBe(Math.ceil(PARCELS / 60) - 1)
  })

  test('a box is filtered by the service', async () => {
    const [{ west, south, east, north }] = await sql<[Record<'west' | 'south' | 'east' | 'north', number>]>`
      select (bbox[1])[0] as west, (bbox[1])[1] as south, (bbox[0])[0] as east, (bbox[0])[1] as north
      from parcels order by id limit 1`
    const box = [west, south, (west + east) / 2, (south + north) / 2].map(String)
    const { features, requests } = await read('parcels', '-spat', ...box)
    expect(features.length).toBeGreaterThan(0)
    expect(features.length).toBeLessThan(20)
    expect(requests.some((address) => address.includes('bbox='))).toBe(true)
  })

  test.each([
    ["assessed_value > 200000 AND owner_name LIKE 'W%'", 'assessed_value > 200000 and owner_name like $$W%$$'],
    ["situs_city = 'LARKSPUR' OR acreage < 1", "situs_city = 'LARKSPUR' or acreage < 1"],
    ['owner_name IS NULL', 'owner_name is null'],
    ['acreage BETWEEN 5 AND 20', 'acreage between 5 and 20'],
    ["updated_at > '2020/01/01 00:00:00'", "updated_at > '2020-01-01'"],
    ['is_agricultural = 1', 'is_agricultural'],
    ['is_agricultural <> 1', 'not is_agricultural'],
    ['is_agricultural = 0 AND acreage < 1', 'not is_agricultural and acreage < 1'],
  ])('attributes are filtered by the service: %s', async (where, condition) => {
    const { features, requests } = await read('sample-county', '-where', where)
    const [{ count }] = await sql.unsafe<[{ count: number }]>(
      `select count(*)::int as count from parcels where ${condition}`,
    )
    expect(features).toHaveLength(count)
    expect(requests.some((address) => address.includes('filter-lang=cql-text'))).toBe(true)
  })
})
