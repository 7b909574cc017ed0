import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import area from '@turf/area'
import { parquetWriteBuffer } from 'hyparquet-writer'
import iconv from 'iconv-lite'
import { BoundaryColumn } from '../../src/ingest/boundaries/boundary-column'
import { toMultiPolygon } from '../../src/ingest/boundaries/geometry'
import { Coordinates } from '../../src/ingest/coordinates/coordinates'
import { createDecoder, findEncoding } from '../../src/ingest/formats/text-decoder'
import { readRows } from '../../src/ingest/rows/read-rows'
import type { ReadRow } from '../../src/ingest/rows/source-row'
import { UnreadableFile } from '../../src/ingest/rows/unreadable-file'
import { convert, greatestDistance, hasGdal, writeParcels } from './files/gdal'
import { inFolder, writeFixture } from './files/write-fixture'
import { writeZip } from './files/write-zip'

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
  const boundaries = new BoundaryColumn(null)
  const parcels: Parcel[] = []
  for await (const rows of readRows(file, { coordinates, layer: layer ?? null })) {
    for (const row of rows) {
      if ('reason' in row) throw new Error(`${row.line}: ${row.reason}`)
      const { pin, owner, acres, value } = row.properties
      const geometry = toMultiPolygon(
        coordinates.toLonLat(row.geometry === undefined ? boundaries.read(row.properties) : row.geometry, row.crs),
      )
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

const expectSame = (read: Parcel[], expected: Parcel[], areaTolerance = 1e-6): void => {
  expect(read.map(({ areaSqM: _, ...values }) => values)).toEqual(expected.map(({ areaSqM: _, ...values }) => values))
  for (const [index, { areaSqM }] of expected.entries()) {
    const own = read[index]?.areaSqM
    if (areaSqM === null) expect(own).toBeNull()
    else expect(Math.abs(Number(own) / areaSqM - 1)).toBeLessThan(areaTolerance)
  }
}

const files = (stem: string, ...extensions: string[]) =>
  extensions.map((extension) => ({
    name: `${stem}.${extension}`,
    content: readFileSync(inFolder(`${stem}.${extension}`)),
  }))

const DIGITS = 'COORDINATE_PRECISION=12'
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

test.skipIf(!hasGdal)('a shapefile’s encoding is read from its .cpg or .dbf, or guessed from its text', async () => {
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

test.skipIf(!hasGdal)(
  'a .cpg that names UTF-8 for text in Windows-1252, or the other way around, does not garble it',
  async () => {
    const expected = await readParcels(source)
    for (const [encoding, wrong] of [
      ['CP1252', 'UTF-8'],
      ['UTF-8', 'ISO-8859-1'],
    ] as const) {
      convert(source, 'lies.shp', 'ESRI Shapefile', '-overwrite', '-lco', `ENCODING=${encoding}`)
      const members = [...files('lies', 'shp', 'dbf', 'prj'), { name: 'lies.cpg', content: Buffer.from(wrong) }]
      expectSame(await readParcels(writeZip('lies.zip', members)), expected)
    }
  },
)

test.skipIf(!hasGdal)('a shapefile in a code page of DOS is read, by its .cpg or the header of its table', async () => {
  convert(source, 'dos.shp', 'ESRI Shapefile', '-overwrite', '-lco', 'ENCODING=CP1252')
  const expected = await readParcels(source)
  const table = readFileSync(inFolder('dos.dbf'))
  // As the character of Windows-1252 in the file of the test, in another code page.
  for (const [index, byte] of table.entries()) {
    if (index > 32 && byte >= 0x80)
      table[index] =
        iconv.encode(new TextDecoder('windows-1252').decode(table.subarray(index, index + 1)), 'cp437')[0] ?? 0
  }
  const zip = (header: number, cpg: string | null) => {
    table[29] = header
    const beside = cpg === null ? [] : [{ name: 'dos.cpg', content: Buffer.from(cpg) }]
    return writeZip('dos.zip', [...files('dos', 'shp', 'prj'), { name: 'dos.dbf', content: table }, ...beside])
  }
  expectSame(await readParcels(zip(1, null)), expected)
  expectSame(await readParcels(zip(0, 'CP437')), expected)
  await expect(readParcels(zip(0, 'KLINGON'))).rejects.toThrow(
    'dos.cpg names the encoding "KLINGON", which is not known: name it with --encoding',
  )
})

test.each([
  ['1252', 'windows-1252'],
  ['ANSI 1252', 'windows-1252'],
  ['ISO 88591', 'windows-1252'],
  ['8859-1', 'windows-1252'],
  ['UTF-8', 'utf-8'],
  ['65001', 'utf-8'],
  ['OEM 437', 'cp437'],
  ['ibm850', 'cp850'],
  ['klingon', null],
])('the encoding "%s" is %p', (label, name) => {
  expect(findEncoding(label)).toBe(name)
})

test('a text that ends with its only character beyond ASCII does not decide the encoding of a file', () => {
  const latin = createDecoder(null)
  expect(['CAFÉ', 'PEÑA', 'OLÉ'].map((text) => latin.decode(Buffer.from(text, 'latin1')))).toEqual([
    'CAFÉ',
    'PEÑA',
    'OLÉ',
  ])
  const utf8 = createDecoder(null, 'utf-8')
  const cut = Buffer.from('CAFÉ').subarray(0, -1)
  expect([utf8.decode(cut), utf8.decode(Buffer.from('PEÑA'))]).toEqual(['CAF\ufffd', 'PEÑA'])
})

test('a few bytes of Windows-1252 in a text in UTF-8 do not garble its other characters', () => {
  const joined = (first: 'utf8' | 'latin1', second: 'utf8' | 'latin1') =>
    createDecoder(null).decode(
      Buffer.concat([Buffer.from('PEÑA MÜLLER JOSÉ\n', first), Buffer.from('ELM PEÑA\n', second)]),
    )
  expect(joined('utf8', 'latin1')).toBe('PEÑA MÜLLER JOSÉ\nELM PE\ufffdA\n')
  expect(joined('latin1', 'utf8')).toBe('PEÑA MÜLLER JOSÉ\nELM PEÃ‘A\n')
})

test('the encoding of a file does not depend on where its chunks end', () => {
  const text = 'OWNER\nJOSÉ PEÑA\n'
  for (const encoding of ['latin1', 'utf8'] as const) {
    const bytes = Buffer.from(text, encoding)
    for (let cut = 1; cut < bytes.length; cut++) {
      const decoder = createDecoder(null)
      const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)].map((chunk) =>
        decoder.decode(chunk, { stream: true }),
      )
      expect([...chunks, decoder.decode()].join('')).toBe(text)
    }
    const last = createDecoder(null)
    expect(last.decode(Buffer.from('OLÉ', encoding), { stream: true }) + last.decode()).toBe('OLÉ')
  }
})

test.skipIf(!hasGdal)('a character that the width of a column cuts off is left out', async () => {
  const file = convert(source, 'full.shp', 'ESRI Shapefile', '-lco', 'ENCODING=UTF-8')
  const dbf = readFileSync(inFolder('full.dbf'))
  // The columns are pin and owner.
  const [start, width] = [dbf.readUInt16LE(8) + 1 + (dbf[32 + 16] as number), dbf[64 + 16] as number]
  const full = Buffer.from(`${width % 2 === 0 ? 'A' : ''}${'é'.repeat(width)}`)
  full.copy(dbf, start, 0, width)
  writeFileSync(inFolder('full.dbf'), dbf)
  const owners = (await readParcels(file)).map(({ owner }) => String(owner))
  expect(owners.find((owner) => owner.includes('éé'))).toMatch(/^A?é+$/)
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

test.skipIf(!hasGdal)('a shapefile without .prj is refused with a question, and read with --crs', async () => {
  convert(source, 'lost.shp', 'ESRI Shapefile', ...toFeet)
  const zipped = writeZip('lost.zip', files('lost', 'shp', 'dbf', 'cpg'))
  await expect(readParcels(zipped)).rejects.toThrow('does not say which coordinate system it is in. Which one is it?')
  expectSame(await readParcels(zipped, { crs: 'EPSG:2913' }), await readParcels(source))
  await expect(readParcels(zipped, { crs: 'EPSG:4326' })).rejects.toThrow('cannot be WGS 84 (EPSG:4326)')
  await expect(readParcels(zipped, { crs: 'EPSG:2276' })).rejects.toThrow('outside the area where it is used')
  await expect(readParcels(zipped, { crs: 'Oregon' })).rejects.toThrow('"Oregon" is not a known coordinate system')
})

test.skipIf(!hasGdal)('a broken shapefile is refused with the reason', async () => {
  convert(source, 'whole.shp', 'ESRI Shapefile', ...toFeet)
  const [shp, dbf, prj] = files('whole', 'shp', 'dbf', 'prj') as [Member, Member, Member]
  const refuse = (members: Member[], reason: string) =>
    expect(readParcels(writeZip('broken.zip', members))).rejects.toThrow(reason)
  const cut = ({ name, content }: Member, bytes: number) => ({ name, content: content.subarray(0, bytes) })
  await refuse([shp, prj], 'its .dbf is missing')
  await refuse([shp, cut(dbf, 10), prj], 'too short for a dBASE table')
  await refuse([shp, cut(dbf, dbf.content.length >> 1), prj], `too few for ${PARCELS} rows`)
  await refuse([cut(shp, shp.content.length - 8), dbf, prj], 'the file is damaged or not complete')
  await refuse([cut(shp, 5_000), dbf, prj], 'the file is damaged or not complete')
  await refuse([shp, dbf, { ...prj, content: Buffer.from('PROJCS["Elm"') }], 'the coordinate system is not known')
  await refuse([shp, dbf, { ...prj, content: Buffer.from(WGS84) }], 'cannot be WGS 84')
  await refuse([shp, { ...dbf, content: Buffer.alloc(dbf.content.length) }, prj], 'has no dBASE header')
})

test.skipIf(!hasGdal)('arcs in a GeoPackage become lines, as GDAL converts them', async () => {
  // Feet of EPSG:2913: a quarter of a circle, a circle with a hole of arcs the other way around, and two surfaces.
  const shapes = [
    'CURVEPOLYGON (COMPOUNDCURVE ((7600000 700000, 7600100 700000), CIRCULARSTRING (7600100 700000, 7600070.71 700070.71, 7600000 700100), (7600000 700100, 7600000 700000)))',
    'CURVEPOLYGON Z (CIRCULARSTRING Z (7601000 700000 5, 7601200 700000 5, 7601000 700000 5), CIRCULARSTRING Z (7601050 700000 5, 7601100 700050 5, 7601150 700000 5, 7601100 699950 5, 7601050 700000 5))',
    'MULTISURFACE (POLYGON ((7602000 700000, 7602100 700000, 7602100 700100, 7602000 700000)), CURVEPOLYGON ((7603000 700000, 7603100 700000, 7603100 700100, 7603000 700000)))',
    // The middle of this arc is on the line between its ends.
    'CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (7604000 700000, 7604050 700000, 7604100 700000), (7604100 700000, 7604100 700100, 7604000 700000)))',
  ]
  const csv = writeFixture('arcs.csv', `pin,wkt\n${shapes.map((wkt, pin) => `${pin},"${wkt}"\n`).join('')}`)
  const options = ['-oo', 'GEOM_POSSIBLE_NAMES=wkt', '-oo', 'KEEP_GEOM_COLUMNS=NO', '-a_srs', 'EPSG:2913']
  const lines = convert(csv, 'lines.gpkg', 'GPKG', ...options, '-nlt', 'CONVERT_TO_LINEAR')
  const read = await readParcels(convert(csv, 'arcs.gpkg', 'GPKG', ...options, '-nlt', 'GEOMETRY'))
  expect(read.map(({ pin, parts }) => [pin, parts])).toEqual([
    ['0', 1],
    ['1', 1],
    ['2', 2],
    ['3', 1],
  ])
  expectSame(read, await readParcels(lines), 0.001)
})

interface Member {
  name: string
  content: Buffer
}

const WGS84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

test('a zip with the files of a file geodatabase, but without their folder, is refused as that', async () => {
  const [content, timestamps] = [Buffer.from('x'), Buffer.from('timestamps\n')]
  const zip = writeZip('flat.zip', [
    { name: 'timestamps', content: timestamps },
    { name: 'a00000001.gdbtable', content },
  ])
  await expect(readParcels(zip)).rejects.toThrow('zip the folder itself, whose name ends with .gdb')
})

test('a damaged archive, a zip bomb and a file of nulls are refused before a row is read', async () => {
  const rows = Buffer.from('id,owner\n1,ELM\n')
  const whole = readFileSync(writeZip('whole.zip', [{ name: 'lots.csv', content: rows }]))
  const refuse = (file: string, reason: string) => expect(readParcels(file)).rejects.toThrow(reason)
  await refuse(
    writeFixture('cut.zip', whole.subarray(0, whole.length - 30)),
    'cut.zip is not a complete zip: End of central directory record signature not found. Either not a zip file, or file is truncated. Was the download cut off?',
  )
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
  const bzip2 = readFileSync(writeZip('bzip2.zip', [{ name: 'lots.csv', content: rows }]))
  bzip2[bzip2.indexOf('PK\x01\x02') + 10] = 12
  await refuse(
    writeFixture('bzip2.zip', bzip2),
    'bzip2.zip/lots.csv is compressed by method 12: only stored and deflated',
  )
  /** An archive with other bytes at these offsets of the only entry in its directory. */
  const change = (name: string, bytes: Record<number, number>) => {
    const changed = readFileSync(writeZip(name, [{ name: 'lots.csv', content: rows }]))
    const entry = changed.indexOf('PK\x01\x02')
    for (const [offset, byte] of Object.entries(bytes)) changed[entry + Number(offset)] = byte
    return writeFixture(name, changed)
  }
  await refuse(change('encrypted.zip', { 8: 1 }), 'encrypted.zip/lots.csv is encrypted')
  await refuse(change('checksum.zip', { 16: 0, 17: 0 }), 'lots.csv is damaged: its checksum does not match')
  await refuse(change('shared.zip', { 21: 0xff }), 'shared.zip has members that share their bytes: it is a zip bomb')
  const members = Array.from({ length: 1_001 }, (_, index) => ({ name: `${index}.txt`, content: rows }))
  await refuse(writeZip('members.zip', members), 'has more than 1000 members')
  const lie = { name: 'lots.csv', content: rows, sizeBytes: (70 * 1024 ** 3) % 2 ** 32 }
  await refuse(writeZip('lie.zip', [lie]), 'it is a zip bomb')
  const sparse = writeFixture('nulls.shp', '')
  truncateSync(sparse, 2 * 1024 ** 3)
  await refuse(sparse, `${basename(sparse)} is not a format that can be read`)
})

test('a small member of an archive may be mostly empty', async () => {
  const content = Buffer.from(`id,owner\n1,ELM\n${'\n'.repeat(1_000_000)}2,OAK\n`)
  const packed = deflateRawSync(content)
  expect(content.length / packed.length).toBeGreaterThan(400)
  expect(await readParcels(writeZip('sparse.zip', [{ name: 'lots.csv', content }]))).toHaveLength(2)
})

test.skipIf(!hasGdal)(
  'a GeoPackage has the parcels of the GeoJSON, in any coordinate system, also zipped',
  async () => {
    const expected = await readParcels(source)
    const file = convert(source, 'lots.gpkg', 'GPKG', '-t_srs', 'EPSG:2269', '-nln', 'lots', '-lco', 'FID=key')
    expectSame(await readParcels(file), expected)
    expectSame(
      await readParcels(writeZip('gpkg.zip', [{ name: 'data/lots.gpkg', content: readFileSync(file) }])),
      expected,
    )
    convert(source, 'lots.gpkg', 'GPKG', '-update', '-nln', 'roads', '-where', "pin = 'none'")
    await expect(readParcels(file)).rejects.toThrow('several layers: lots, roads. Which one? Name it with --layer')
    expectSame(await readParcels(file, { layer: 'lots' }), expected)
    await expect(readParcels(file, { layer: 'trees' })).rejects.toThrow('has no layer "trees": it has lots, roads')
  },
)

test.skipIf(!hasGdal)('a GeoPackage cannot run code, and a damaged one is refused', async () => {
  const file = convert(source, 'code.gpkg', 'GPKG', '-nln', 'lots')
  const edit = (name: string, ...statements: string[]) => {
    const copy = writeFixture(name, readFileSync(file))
    const database = new Database(copy)
    for (const statement of statements) database.run(statement)
    database.close()
    return copy
  }
  const refuse = (path: string, reason: string) => expect(readParcels(path)).rejects.toThrow(reason)
  const trigger = "create trigger elm after insert on gpkg_contents begin select load_extension('/tmp/x'); end"
  await refuse(edit('trigger.gpkg', trigger), 'has the trigger "elm", which is not part of a GeoPackage')
  const view = [
    'alter table lots rename to hidden',
    'create view lots as select * from hidden',
    "update gpkg_contents set table_name = 'lots'",
    "update gpkg_geometry_columns set table_name = 'lots'",
  ]
  await refuse(edit('view.gpkg', 'pragma foreign_keys = off', ...view), 'is a view or does not exist')
  await refuse(
    edit('unknown.gpkg', 'pragma foreign_keys = off', 'update gpkg_geometry_columns set srs_id = -1'),
    'does not say which coordinate system',
  )
  await refuse(edit('plain.gpkg', 'pragma foreign_keys = off', 'drop table gpkg_contents'), 'but not a GeoPackage')
  const bytes = readFileSync(file)
  await refuse(writeFixture('cut.gpkg', bytes.subarray(0, bytes.length >> 1)), 'is a damaged GeoPackage')
  await refuse(
    writeFixture('nulls.gpkg', Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(100_000)])),
    'is a damaged GeoPackage',
  )
})

test.skipIf(!hasGdal)('a FlatGeobuf has the parcels of the GeoJSON, and a truncated one is refused', async () => {
  const expected = await readParcels(source)
  const file = convert(source, 'lots.fgb', 'FlatGeobuf', '-t_srs', 'EPSG:2913')
  // GDAL leaves out features without a boundary.
  const bounded = expected.filter(({ areaSqM }) => areaSqM !== null)
  expectSame(await readParcels(file), bounded)
  expectSame(await readParcels(convert(source, 'plain.fgb', 'FlatGeobuf', '-lco', 'SPATIAL_INDEX=NO')), bounded)
  const bytes = readFileSync(file)
  for (const length of [20, 500, 5_000, bytes.length - 10]) {
    await expect(readParcels(writeFixture('cut.fgb', bytes.subarray(0, length)))).rejects.toBeInstanceOf(UnreadableFile)
  }
})

test.skipIf(!hasGdal)('a GeoJSON text sequence and GeoJSON with a crs have the same parcels', async () => {
  const expected = await readParcels(source)
  expectSame(
    await readParcels(convert(source, 'lots.geojsons', 'GeoJSONSeq', '-lco', 'RS=YES', '-lco', DIGITS)),
    expected,
  )
  expectSame(
    await readParcels(convert(source, 'feet.geojson', 'GeoJSON', '-t_srs', 'EPSG:2913', '-lco', DIGITS)),
    expected,
  )
  const text = readFileSync(source, 'utf8')
  expectSame(await readParcels(writeFixture('wide.geojsonl', Buffer.from(`\ufeff${text}`, 'utf16le'))), expected)
})

test.skipIf(!hasGdal)('a CSV with boundaries in WKT is read in the system of --crs', async () => {
  const csv = convert(
    source,
    'feet.csv',
    'CSV',
    '-t_srs',
    'EPSG:2913',
    '-lco',
    'GEOMETRY=AS_WKT',
    '-lco',
    'SEPARATOR=TAB',
  )
  expectSame(await readParcels(csv, { crs: 'EPSG:2913' }), await readParcels(source))
})

test.skipIf(!hasGdal).each([
  ['lots.kml', 'KML', []],
  ['lots.gdb', 'OpenFileGDB', ['-nlt', 'MULTIPOLYGON']],
  ['lots.tab', 'MapInfo File', ['-t_srs', 'EPSG:4269']],
  // GDAL lists it as `lots (3D Unknown (any))`.
  ['lots.gml', 'GML', ['-dim', 'XYZ', '-nlt', 'GEOMETRYZ']],
] as const)('%s is read through GDAL', async (name, driver, options) => {
  const expected = await readParcels(source)
  const read = await readParcels(convert(source, name, driver, ...options))
  expect(read.map(({ pin }) => pin)).toEqual(expected.map(({ pin }) => pin))
})

test('a GeoParquet has the parcels of the GeoJSON, and a truncated one is refused', async () => {
  const expected = await readParcels(source)
  const rows = readFileSync(source, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const columnData = ['pin', 'owner', 'acres', 'value'].map((name) => ({
    name,
    data: rows.map(({ properties }) => properties[name]),
    type: name === 'acres' || name === 'value' ? ('DOUBLE' as const) : ('STRING' as const),
  }))
  const write = (name: string, geo: object) => {
    const geometry = { name: 'geom', data: rows.map((row) => row.geometry), type: 'GEOMETRY' as const }
    const metadata = {
      version: '1.1.0',
      primary_column: 'geom',
      columns: { geom: { encoding: 'WKB', geometry_types: [], ...geo } },
    }
    const buffer = parquetWriteBuffer({
      columnData: [...columnData, geometry],
      rowGroupSize: 100,
      kvMetadata: [{ key: 'geo', value: JSON.stringify(metadata) }],
    })
    return writeFixture(name, new Uint8Array(buffer))
  }
  const file = write('lots.parquet', {})
  expectSame(await readParcels(file), expected)
  await expect(readParcels(write('unknown.parquet', { crs: null }))).rejects.toThrow(
    'does not say which coordinate system',
  )
  await expect(readParcels(write('native.parquet', { encoding: 'polygon' }))).rejects.toThrow('only WKB is read')
  const bytes = readFileSync(file)
  await expect(readParcels(writeFixture('cut.parquet', bytes.subarray(0, bytes.length - 100)))).rejects.toThrow(
    'damaged or incomplete Parquet',
  )
})

/** A GeoParquet with the columns of this query. */
const writeParquet = async (name: string, query: string): Promise<string> => {
  const geo = { version: '1.1.0', primary_column: 'geom', columns: { geom: { encoding: 'WKB', geometry_types: [] } } }
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const path = inFolder(name)
  await connection.run(`copy (${query}) to '${path}' (format parquet, kv_metadata {geo: '${JSON.stringify(geo)}'})`)
  connection.closeSync()
  return path
}

/** A triangle in WKB, in feet near Portland. */
const TRIANGLE = (() => {
  const wkb = Buffer.alloc(13 + 4 * 16)
  wkb[0] = 1
  wkb.writeUInt32LE(3, 1)
  wkb.writeUInt32LE(1, 5)
  wkb.writeUInt32LE(4, 9)
  for (const [index, value] of [
    7_640_000, 680_000, 7_640_000, 681_000, 7_641_000, 681_000, 7_640_000, 680_000,
  ].entries())
    wkb.writeDoubleLE(value, 13 + index * 8)
  return `from_hex('${wkb.toString('hex')}')`
})()

test('a value of a GeoParquet that is not valid does not end the load, and nested values are read', async () => {
  const file = await writeParquet(
    'values.parquet',
    `select i::varchar as pin, (case i when 1 then 'infinity' else '2026-01-31' end)::timestamp as sold,
      (case i when 1 then 'infinity' else '2026-01-31' end)::date as day, {a: [9007199254740993, i]} as nested,
      '["a"]'::json as list,
      case i when 0 then null when 1 then 'nonsense'::blob else ${TRIANGLE} end as geom from range(3) t(i)`,
  )
  const rows: ReadRow[] = []
  for await (const some of readRows(file, { coordinates: new Coordinates('EPSG:2913') })) rows.push(...some)
  const day = '2026-01-31T00:00:00.000Z'
  expect(rows).toMatchObject([
    {
      properties: { pin: '0', sold: day, day, nested: { a: ['9007199254740993', 0] }, list: ['a'] },
      geometry: null,
    },
    {
      properties: { pin: '1', sold: null, day: null },
      geometry: { type: expect.stringContaining('value that is not WKB') },
    },
    { properties: { pin: '2', sold: day }, geometry: { type: 'Polygon' } },
  ])
})

test('equal boundaries of a GeoParquet, which are stored once, are converted once for each row', async () => {
  const file = await writeParquet(
    'equal.parquet',
    `select i::varchar as pin, ${TRIANGLE} as geom from range(1000) t(i)`,
  )
  const [first, ...others] = await readParcels(file, { crs: 'EPSG:2913' })
  expect(first?.areaSqM).toBeGreaterThan(40_000)
  for (const { areaSqM } of others) expect(areaSqM).toBe(first?.areaSqM as number)
})

test('a GeoParquet whose column with the boundaries is missing is refused', async () => {
  const file = await writeParquet('missing.parquet', 'select 1 as pin, 2 as shape')
  await expect(readParcels(file)).rejects.toThrow('missing.parquet has no column "geom" with its boundaries')
})

test('the rows of a large row group are read in parts, with continuous numbers', async () => {
  const ids = Array.from({ length: 45_000 }, (_, index) => `P${index}`)
  const metadata = { version: '1.1.0', primary_column: 'geom', columns: { geom: { encoding: 'WKB' } } }
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: 'pin', data: ids, type: 'STRING' },
      { name: 'geom', data: ids.map(() => ({ type: 'Point', coordinates: [-120, 45] })), type: 'GEOMETRY' },
    ],
    rowGroupSize: ids.length,
    kvMetadata: [{ key: 'geo', value: JSON.stringify(metadata) }],
  })
  const read: [line: number, pin: unknown][] = []
  for await (const rows of readRows(writeFixture('large.parquet', new Uint8Array(buffer)))) {
    for (const row of rows) if ('properties' in row) read.push([row.line, row.properties.pin])
  }
  expect(read).toEqual(ids.map((id, index) => [index + 1, id]))
})

test('TopoJSON: neighbors that share an arc are converted once, and layers are chosen by name', async () => {
  const topology = {
    type: 'Topology',
    crs: { type: 'name', properties: { name: 'EPSG:2913' } },
    arcs: [
      [
        [7_650_000, 700_000],
        [7_650_000, 701_000],
      ],
      [
        [7_650_000, 701_000],
        [7_649_000, 701_000],
        [7_649_000, 700_000],
        [7_650_000, 700_000],
      ],
      [
        [7_650_000, 701_000],
        [7_651_000, 701_000],
        [7_651_000, 700_000],
        [7_650_000, 700_000],
      ],
    ],
    objects: {
      lots: {
        type: 'GeometryCollection',
        geometries: [
          { type: 'Polygon', arcs: [[0, 1]], properties: { pin: '1' } },
          { type: 'Polygon', arcs: [[0, 2]], properties: { pin: '2' } },
        ],
      },
      roads: { type: 'GeometryCollection', geometries: [] },
    },
  }
  const file = writeFixture('lots.topojson', JSON.stringify(topology))
  await expect(readParcels(file)).rejects.toThrow('several layers: lots, roads')
  const parcels = await readParcels(file, { layer: 'lots' })
  // 1,000 feet square.
  for (const { areaSqM } of parcels) expect(Number(areaSqM) / 304.8 ** 2).toBeCloseTo(1, 2)
  expect(parcels.map(({ pin }) => pin)).toEqual(['1', '2'])
})

/** Systems of all kinds that counties use, with a county in each: how far to move the sample county, in degrees. */
const SYSTEMS: [code: number, west: number, south: number][] = [
  [2913, -122.9, 45.5],
  [2269, -122.9, 45.5],
  [2276, -97, 32.8],
  [2249, -71.1, 42.3],
  [26986, -71.1, 42.3],
  [3435, -87.9, 41.8],
  [6557, -122.9, 42.6],
  [32027, -122.9, 45.5],
  [26910, -122.9, 45.5],
  [3857, -93.2, 44.9],
  [4269, -93.2, 44.9],
  [3071, -89.4, 43.1],
  [26963, -157.9, 21.4],
]

test.skipIf(!hasGdal).each(SYSTEMS)(
  'a shapefile and a GeoPackage of GDAL in EPSG:%i have the parcels that GDAL converts back to degrees',
  async (code, west, south) => {
    const [first] = await readPositions(source)
    const [lon = 0, lat = 0] = first ?? []
    const moved = writeParcels(`moved-${code}.geojsonl`, 40, [west - lon, south - lat])
    const systems = ['-s_srs', 'EPSG:4326', '-t_srs', `EPSG:${code}`]
    for (const [driver, name] of [
      ['ESRI Shapefile', `projected-${code}.shp`],
      ['GPKG', `projected-${code}.gpkg`],
    ] as const) {
      const projected = convert(moved, name, driver, ...systems)
      const expected = convert(
        projected,
        `${name}.back.geojson`,
        'GeoJSON',
        '-t_srs',
        'EPSG:4326',
        '-lco',
        'COORDINATE_PRECISION=15',
      )
      const [read, back] = [await readParcels(projected), await readParcels(expected)]
      expect(read).toHaveLength(40)
      expectSame(read, back)
      const [positions, others] = [await readPositions(projected), await readPositions(expected)]
      expect(positions.length).toBe(others.length)
      expect(greatestDistance(positions, others)).toBeLessThan(0.5)
    }
  },
)

/** All positions of a file, as a load reads them. */
const readPositions = async (file: string): Promise<number[][]> => {
  const coordinates = new Coordinates(null)
  const positions: number[][] = []
  for await (const rows of readRows(file, { coordinates })) {
    for (const row of rows) {
      if ('reason' in row) throw new Error(row.reason)
      const geometry = toMultiPolygon(coordinates.toLonLat(row.geometry))
      positions.push(...(geometry?.geom.coordinates.flat(2) ?? []))
    }
  }
  return positions
}

test.skipIf(!hasGdal)('XML that GDAL does not read is refused with the formats that it reads', async () => {
  await expect(readParcels(writeFixture('tracks.gpx', '<gpx version="1.1" creator="x"><trk/></gpx>'))).rejects.toThrow(
    'tracks.gpx: GDAL cannot read it as one of these formats: OpenFileGDB, MapInfo File, LIBKML, KML, GML, DXF',
  )
})
