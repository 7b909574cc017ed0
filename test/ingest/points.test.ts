import { beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sampleParcels } from '../../dev/sample-county/county'
import { createSource } from '../../drizzle/queries/sources/create-source'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { type IngestOptions, ingestParcels } from '../../src/ingest/ingest'
import { previewFile } from '../../src/ingest/preview/preview-file'
import { createTestDatabase } from '../support/servers'
import { convert, hasGdal } from './files/gdal'
import { inFolder, writeFixture } from './files/write-fixture'

const { sql } = await createTestDatabase()
await createSource(sql, { source: 'elm', state: 'OR', countyName: 'Elm', baseUrl: 'https://elm.example' })
beforeEach(async () => {
  await sql`delete from parcels`
})

const rejectsFile = inFolder('points.rejects.csv')
const load = (file: string, map: string, options: Partial<IngestOptions> = {}) =>
  ingestParcels(sql, 'elm', { file, map: parseFieldMap(map, PARCEL_FIELDS), rejectsFile, ...options })
const readStored = async () =>
  (
    await sql`
      select source_parcel_id as id, lon, lat, geom is not null as has_boundary, bbox::text from parcels order by source_parcel_id`
  ).map((row) => ({ ...row }))
const pointOf = (id: string, lon: number | null, lat: number | null) => ({
  ...{ id, lon, lat, has_boundary: false },
  bbox: lon === null ? null : `(${lon},${lat}),(${lon},${lat})`,
})

const CSV = 'PIN,OWNER,Longitude,Latitude\n1,ADA,-122.5,45.1\n2,BO,,\n3,CY,0,0\n4,DI,-122.25,45.75\n'
const MAP = 'source_parcel_id=PIN, owner_name=OWNER, lon=Longitude, lat=Latitude'
const EXPECTED = [
  pointOf('1', -122.5, 45.1),
  pointOf('2', null, null),
  pointOf('3', null, null),
  pointOf('4', -122.25, 45.75),
]

test('longitude and latitude of a CSV are stored as points, and a second load writes nothing', async () => {
  const file = writeFixture('points.csv', CSV)
  const first = await load(file, MAP)
  expect(first).toMatchObject({ inserted: 4, rejected: 0, notes: ['parcels with a point and no boundary: 2'] })
  expect(await readStored()).toEqual(EXPECTED)
  expect(await load(file, MAP)).toMatchObject({ inserted: 0, updated: 0, unchanged: 4 })
})

test('a preview says that points would be stored, and names a map that does', async () => {
  const found = await previewFile(writeFixture('previewed.csv', CSV))
  expect(found).toMatchObject({
    map: { source_parcel_id: 'PIN', lon: 'Longitude', lat: 'Latitude' },
    rows: { parcels: 4, without_boundary: 4, points: 2 },
    bbox: [-122.5, 45.1, -122.25, 45.75],
    warnings: [],
  })
  // Beside boundaries, such columns can be in any system.
  const both = 'PIN,X,Y,SHAPE\n1,7600000,680000,"POLYGON((-122 45,-121 45,-121 46,-122 45))"\n'
  const { map, rows } = await previewFile(writeFixture('both.csv', both))
  expect(Object.keys(map)).toEqual(['source_parcel_id'])
  expect(rows).toMatchObject({ rejected: 0, without_boundary: 0, points: 0 })
  expect((await previewFile(writeFixture('words.csv', 'PIN,LAT,LONG\n1,wide,far\n'))).map).toEqual({
    source_parcel_id: 'PIN',
  })
})

test('a column with points does not hide the one with boundaries, of which the first row has none', async () => {
  const rows = [
    '1,POINT(-122 45),',
    '2,POINT(-122 46),"POLYGON((-122 45,-121 45,-121 46,-122 45))"',
    '3,POINT(-122 47),',
  ]
  await load(writeFixture('late.csv', `PIN,CENTER,SHAPE\n${rows.join('\n')}\n`), 'source_parcel_id=PIN')
  expect(await readStored()).toEqual([
    pointOf('1', -122, 45),
    { id: '2', lon: null, lat: null, has_boundary: true, bbox: '(-121,46),(-122,45)' },
    pointOf('3', null, null),
  ])
})

test('a load whose map does not name the point columns says how to load them', async () => {
  const { warnings } = await load(writeFixture('unnamed.csv', CSV), 'source_parcel_id=PIN')
  expect(warnings).toEqual([
    `Longitude and Latitude look like points of the parcels. To load them, add --map 'lon="Longitude", lat="Latitude"'`,
  ])
  expect(load(inFolder('unnamed.csv'), 'source_parcel_id=PIN, lon=Longitude')).rejects.toThrow('both lon and lat')
})

test('an invalid point rejects its row with the reason', async () => {
  const rows = ['swapped west,45.1,-122.5', 'swapped east,40.7,-74', 'far,-222,45', 'half,-122,', 'feet,7600000,680000']
  const file = writeFixture('wrong.csv', `PIN,X,Y\n${rows.join('\n')}\n`)
  const map = 'source_parcel_id=PIN, lon=X, lat=Y'
  expect(await load(file, map)).toMatchObject({ inserted: 0, rejected: 5 })
  expect(readFileSync(rejectsFile, 'utf8').trimEnd().split('\n').slice(1)).toEqual([
    '2,"its point: latitude -122.5 is outside -90..90: longitude comes first, are the axes swapped?",swapped west',
    '3,"its point: latitude -74 is in Antarctica: longitude comes first, are the axes swapped?",swapped east',
    '4,"its point: [-222, 45] is not a longitude and latitude in degrees: name the coordinate system with --crs EPSG:CODE",far',
    '5,it has lon without lat,half',
    '6,"its point: [7600000, 680000] is not a longitude and latitude in degrees: name the coordinate system with --crs EPSG:CODE",feet',
  ])
  // A row that is loaded without its point keeps the stored one.
  await load(writeFixture('right.csv', 'PIN,X,Y\nfar,-122,45\n'), map)
  expect(await load(file, map, { brokenGeometry: 'leave-out' })).toMatchObject({ inserted: 4, unchanged: 1 })
  expect(await readStored()).toContainEqual(pointOf('far', -122, 45))
})

test('columns of a CSV are in the system of --crs', async () => {
  const file = writeFixture('points-in-feet.csv', 'PIN,X,Y\n1,7600000,680000\n')
  await load(file, 'source_parcel_id=PIN, lon=X, lat=Y', { crs: 'EPSG:2913' })
  const [{ lon, lat } = { lon: 0, lat: 0 }] = await sql<{ lon: number; lat: number }[]>`select lon, lat from parcels`
  expect([lon.toFixed(4), lat.toFixed(4)]).toEqual(['-122.8489', '45.5078'])
})

const OUTSIDE =
  '[2500000, 1300000] cannot be NAD83(HARN) / Oregon North (ft) (EPSG:2913): that would be -142.85, 45.06, outside the area where it is used, -124.17, 43.95, -116.47, 46.26 (west, south, east, north)'

test('a point or a boundary outside the area where its system is used rejects its row', async () => {
  const points = writeFixture('outside.csv', 'PIN,X,Y\n1,2500000,1300000\n2,7600000,680000\n')
  const map = 'source_parcel_id=PIN, lon=X, lat=Y'
  expect(await load(points, map, { crs: 'EPSG:2913' })).toMatchObject({ inserted: 1, rejected: 1 })
  expect(readFileSync(rejectsFile, 'utf8')).toContain(`2,"${OUTSIDE}",1`)
  const wkt = 'PIN,SHAPE\n3,"POLYGON((2500000 1300000,2500100 1300000,2500100 1300100,2500000 1300000))"\n'
  const boundaries = writeFixture('outside-wkt.csv', wkt)
  expect(await load(boundaries, 'source_parcel_id=PIN', { crs: 'EPSG:2913' })).toMatchObject({ rejected: 1 })
  expect(readFileSync(rejectsFile, 'utf8')).toContain(`2,"${OUTSIDE}",3`)
})

test('a file is refused if nearly all of its first rows are outside the area where its system is used', async () => {
  const rowsOf = (outside: number) =>
    Array.from({ length: 200 }, (_, index) => `${index},${index < outside ? 2_500_000 : 7_600_000},680000`)
  const map = 'source_parcel_id=PIN, lon=X, lat=Y'
  const wrong = writeFixture('elm-wrong.csv', `PIN,X,Y\n${rowsOf(95).join('\n')}\n`)
  await expect(load(wrong, map, { crs: 'EPSG:2913' })).rejects.toThrow(
    'elm-wrong.csv: nearly all of the first boundaries and points are outside: [2500000, 680000] cannot be NAD83(HARN)',
  )
  expect(await readStored()).toEqual([])
  const right = writeFixture('elm-right.csv', `PIN,X,Y\n${rowsOf(94).join('\n')}\n`)
  expect(await load(right, map, { crs: 'EPSG:2913' })).toMatchObject({ inserted: 106, rejected: 94 })
})

test.skipIf(!hasGdal).each([
  ['points.geojson', 'GeoJSON', ['-lco', 'COORDINATE_PRECISION=12']],
  ['points.shp', 'ESRI Shapefile', []],
  ['points.gpkg', 'GPKG', []],
  ['points.fgb', 'FlatGeobuf', ['-lco', 'SPATIAL_INDEX=NO']],
  ['points-wkt.csv', 'CSV', ['-lco', 'GEOMETRY=AS_WKT']],
])(
  '%s: features that are points are stored like columns with a longitude and a latitude',
  async (name, driver, options) => {
    const csv = writeFixture('converted.csv', CSV.replaceAll(',0,0', ',,'))
    const open = ['-oo', 'X_POSSIBLE_NAMES=Longitude', '-oo', 'Y_POSSIBLE_NAMES=Latitude', '-select', 'PIN,OWNER']
    const file = convert(csv, name, driver, ...open, '-a_srs', 'EPSG:4326', ...options)
    const map = 'source_parcel_id=PIN, owner_name=OWNER'
    const { warnings } = await load(file, map)
    const stored = await readStored()
    // GDAL leaves features without a place out of a FlatGeobuf.
    expect(stored).toEqual(EXPECTED.filter(({ id }) => stored.some((row) => row.id === id)))
    expect(stored.filter(({ bbox }) => bbox !== null)).toHaveLength(2)
    expect(warnings.filter((warning) => !warning.startsWith('rows without a boundary'))).toEqual([])
    expect(await load(file, map)).toMatchObject({ inserted: 0, updated: 0, unchanged: stored.length })
  },
)

test('a boundary is used instead of the point, and the point stays a field', async () => {
  await load(writeFixture('first.csv', CSV), MAP)
  const wkt = 'PIN,SHAPE\n1,"POLYGON((-122 45,-121 45,-121 46,-122 45))"\n'
  await load(writeFixture('second.csv', wkt), 'source_parcel_id=PIN')
  const boundary = { id: '1', lon: -122.5, lat: 45.1, has_boundary: true, bbox: '(-121,46),(-122,45)' }
  expect((await readStored())[0]).toEqual(boundary)
  await load(writeFixture('third.csv', 'PIN,X,Y\n1,-123,44\n'), 'source_parcel_id=PIN, lon=X, lat=Y')
  expect((await readStored())[0]).toEqual({ ...boundary, lon: -123, lat: 44 })
})

test.skipIf(!hasGdal)('a county in another coordinate system, format or precision has no changes', async () => {
  const features = [...sampleParcels({ parcels: 40 })].map(({ sourceParcelId: pin, geom: geometry }) =>
    JSON.stringify({ type: 'Feature', properties: { pin }, geometry }),
  )
  const degrees = writeFixture('same.geojsonl', features.join('\n'))
  const map = 'source_parcel_id=pin'
  const feet = convert(degrees, 'same.shp', 'ESRI Shapefile', '-t_srs', 'EPSG:2913', '-lco', 'ENCODING=UTF-8')
  expect(await load(feet, map)).toMatchObject({ inserted: 40, rejected: 0 })
  expect(await load(degrees, map)).toMatchObject({ inserted: 0, updated: 0, unchanged: 40 })
  const noisy = readFileSync(degrees, 'utf8').replaceAll(/(-1\d\d\.\d{7})\b/g, '$10000000089')
  expect(noisy).not.toBe(readFileSync(degrees, 'utf8'))
  expect(await load(writeFixture('noisy.geojsonl', noisy), map)).toMatchObject({ updated: 0, unchanged: 40 })
})
