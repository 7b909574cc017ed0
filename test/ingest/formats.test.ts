import { expect, test } from 'bun:test'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import area from '@turf/area'
import { Coordinates } from '../../src/ingest/coordinates/coordinates'
import { toMultiPolygon } from '../../src/ingest/geometry'
import { readRows } from '../../src/ingest/read-rows'
import { convert, hasGdal, writeParcels } from './gdal'
import { inFolder, writeFixture } from './write-fixture'
import { writeZip } from './write-zip'

const PARCELS = 300
const source = writeParcels('source.geojsonl', PARCELS)

interface Parcel {
  pin: unknown
  owner: unknown
  acres: number | null
  value: number | null
  parts: number
  areaSqM: number | null
}

interface Options {
  crs?: string
  layer?: string
}

/** The parcels of a file as a load reads them, by id. */
const readParcels = async (file: string, { crs, layer }: Options = {}): Promise<Parcel[]> => {
  const coordinates = new Coordinates(crs ?? null)
  const parcels: Parcel[] = []
  for await (const rows of readRows(file, { coordinates, layer: layer ?? null })) {
    for (const row of rows) {
      if ('reason' in row) throw new Error(`${row.line}: ${row.reason}`)
      const { pin, owner, acres, value } = row.properties
      const geometry = toMultiPolygon(coordinates.toLonLat(row.geometry, row.crs))
      parcels.push({
        ...{ pin: String(pin), owner, parts: geometry?.geom.coordinates.length ?? 0 },
        acres: acres == null || acres === '' ? null : Number(acres),
        value: value == null || value === '' ? null : Number(value),
        areaSqM: geometry === null ? null : area(geometry.geom),
      })
    }
  }
  return parcels.sort((a, b) => (String(a.pin) < String(b.pin) ? -1 : 1))
}

const expectSame = (read: Parcel[], expected: Parcel[]): void => {
  expect(read.map(({ areaSqM: _, ...values }) => values)).toEqual(expected.map(({ areaSqM: _, ...values }) => values))
  for (const [index, { areaSqM }] of expected.entries()) {
    const own = read[index]?.areaSqM
    if (areaSqM === null) expect(own).toBeNull()
    else expect(Math.abs(Number(own) / areaSqM - 1)).toBeLessThan(1e-6)
  }
}

const files = (stem: string, ...extensions: string[]) =>
  extensions.map((extension) => ({
    name: `${stem}.${extension}`,
    content: readFileSync(inFolder(`${stem}.${extension}`)),
  }))

const toFeet = ['-t_srs', 'EPSG:2913', '-lco', 'ENCODING=UTF-8']

test.skipIf(!hasGdal)(
  'a shapefile in State Plane feet, as files and zipped, has the parcels of the GeoJSON',
  async () => {
    const expected = await readParcels(source)
    expect(expected).toHaveLength(PARCELS)
    expect(expected.filter(({ areaSqM }) => areaSqM === null)).toHaveLength(1)
    expect(expected.filter(({ parts }) => parts > 1)).not.toBeEmpty()
    expectSame(await readParcels(convert(source, 'feet.shp', 'ESRI Shapefile', ...toFeet)), expected)
    const zipped = writeZip('feet.zip', [
      { name: '__MACOSX/._feet.shp', content: Buffer.from('x') },
      ...files('feet', 'shp', 'dbf', 'shx', 'prj', 'cpg').map((member) => ({
        ...member,
        name: `County/${member.name}`,
      })),
      { name: 'County/readme.txt', content: Buffer.from('Parcels of Elm County') },
    ])
    expectSame(await readParcels(zipped), expected)
  },
)

test.skipIf(!hasGdal)('a shapefile says its encoding in its .cpg or its .dbf, or the text tells it', async () => {
  const expected = await readParcels(source)
  const latin = convert(source, 'latin.shp', 'ESRI Shapefile', '-lco', 'ENCODING=CP1252')
  expectSame(await readParcels(latin), expected)
  for (const [stem, options] of [
    ['latin', []],
    ['feet', toFeet],
  ] as const) {
    if (stem === 'feet') convert(source, 'feet.shp', 'ESRI Shapefile', '-overwrite', ...options)
    const dbf = readFileSync(inFolder(`${stem}.dbf`))
    // No language driver.
    dbf[29] = 0
    const shapes = files(stem, 'shp', 'prj')
    expectSame(await readParcels(writeZip('bare.zip', [...shapes, { name: `${stem}.dbf`, content: dbf }])), expected)
  }
})

test.skipIf(!hasGdal)('the deleted rows of a shapefile are not parcels', async () => {
  const file = convert(source, 'deleted.shp', 'ESRI Shapefile')
  const dbf = readFileSync(inFolder('deleted.dbf'))
  dbf[dbf.readUInt16LE(8)] = 0x2a
  writeFileSync(inFolder('deleted.dbf'), dbf)
  const [first] = JSON.parse(`[${readFileSync(source, 'utf8').split('\n')[0]}]`)
  const expected = (await readParcels(source)).filter(({ pin }) => pin !== first.properties.pin)
  expectSame(await readParcels(file), expected)
})

test.skipIf(!hasGdal)('a shapefile without .prj is refused with the question, and read with --crs', async () => {
  convert(source, 'lost.shp', 'ESRI Shapefile', ...toFeet)
  const zipped = writeZip('lost.zip', files('lost', 'shp', 'dbf', 'cpg'))
  await expect(readParcels(zipped)).rejects.toThrow('does not say which coordinate system it is in. Which one is it?')
  expectSame(await readParcels(zipped, { crs: 'EPSG:2913' }), await readParcels(source))
  await expect(readParcels(zipped, { crs: 'EPSG:4326' })).rejects.toThrow('cannot be WGS 84 (EPSG:4326)')
  await expect(readParcels(zipped, { crs: 'EPSG:2276' })).rejects.toThrow('outside the area where it is used')
  await expect(readParcels(zipped, { crs: 'Oregon' })).rejects.toThrow('"Oregon" is not a coordinate system')
})

test.skipIf(!hasGdal)('a broken shapefile is refused with the reason', async () => {
  convert(source, 'whole.shp', 'ESRI Shapefile', ...toFeet)
  const [shp, dbf, prj] = files('whole', 'shp', 'dbf', 'prj') as [Member, Member, Member]
  const refuse = (members: Member[], reason: string) =>
    expect(readParcels(writeZip('broken.zip', members))).rejects.toThrow(reason)
  const cut = ({ name, content }: Member, bytes: number) => ({ name, content: content.subarray(0, bytes) })
  await refuse([shp, prj], 'its .dbf is missing')
  await refuse([shp, cut(dbf, 10), prj], 'too short for a dBASE table')
  await refuse([shp, cut(dbf, dbf.content.length >> 1), prj], `of ${PARCELS} rows`)
  await refuse([cut(shp, shp.content.length - 8), dbf, prj], `ends within shape ${PARCELS}`)
  await refuse([cut(shp, 5_000), dbf, prj], 'the file is damaged or not complete')
  await refuse([shp, dbf, { ...prj, content: Buffer.from('PROJCS["Elm"') }], 'the coordinate system is not known')
  await refuse([shp, dbf, { ...prj, content: Buffer.from(WGS84) }], 'cannot be WGS 84')
  await refuse([shp, { ...dbf, content: Buffer.alloc(dbf.content.length) }, prj], 'has no dBASE header')
})

interface Member {
  name: string
  content: Buffer
}

const WGS84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

test('a damaged archive, a zip bomb and a file of nulls are refused before a row is read', async () => {
  const rows = Buffer.from('id,owner\n1,ELM\n')
  const whole = readFileSync(writeZip('whole.zip', [{ name: 'lots.csv', content: rows }]))
  const refuse = (file: string, reason: string) => expect(readParcels(file)).rejects.toThrow(reason)
  await refuse(writeFixture('cut.zip', whole.subarray(0, whole.length - 30)), 'cut.zip is not a complete zip')
  const damaged = Buffer.from(whole)
  damaged.fill(0xff, 40, 50)
  await refuse(writeFixture('damaged.zip', damaged), 'Was the download cut off?')
  await refuse(writeZip('empty.zip', []), 'it is empty')
  await refuse(
    writeZip('two.zip', [
      { name: 'a.csv', content: rows },
      { name: 'b.csv', content: rows },
    ]),
    'Name it with --layer',
  )
  const nulls = new Uint8Array(50 * 1024 ** 2)
  await refuse(
    writeZip('bomb.zip', [{ name: 'lots.csv', packed: deflateRawSync(nulls), sizeBytes: nulls.length }]),
    'it is a zip bomb',
  )
  const lie = { name: 'lots.csv', content: rows, sizeBytes: (70 * 1024 ** 3) % 2 ** 32 }
  await refuse(writeZip('lie.zip', [lie]), 'it is a zip bomb')
  const sparse = writeFixture('nulls.shp', '')
  truncateSync(sparse, 2 * 1024 ** 3)
  await refuse(sparse, `${basename(sparse)} is not a format that can be read`)
})
