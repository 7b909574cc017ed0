import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync, truncateSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { ingestParcels } from '../../src/ingest/ingest'
import { createTestDatabase, waitFor } from '../support/servers'
import { convert, hasGdal, writeParcels } from './files/gdal'
import { inFolder, writeFixture } from './files/write-fixture'
import { writeZip } from './files/write-zip'

const { sql } = await createTestDatabase()
await sql`insert into sources (source, state, county_name, vendor, base_url)
  values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`

const map = ['source_parcel_id=pin', 'owner_name=owner', 'acreage=acres', 'assessed_value=value']
const load = async (...files: string[]) => {
  return await ingestParcels(sql, 'elm', {
    file: files,
    map: parseFieldMap(map.join('\n'), PARCEL_FIELDS),
    rejectsFile: inFolder('broken.rejects.csv'),
  })
}
const countParcels = async () => (await sql<{ count: number }[]>`select count(*)::int as count from parcels`)[0]?.count

test.skipIf(!hasGdal)('a broken file writes nothing, not even as the first load of a source', async () => {
  const source = writeParcels('broken.geojsonl', 1_500)
  convert(source, 'lots.shp', 'ESRI Shapefile', '-t_srs', 'EPSG:2913')
  const [shp, dbf, prj] = ['shp', 'dbf', 'prj'].map((extension) => ({
    name: `lots.${extension}`,
    content: readFileSync(inFolder(`lots.${extension}`)),
  })) as [Member, Member, Member]
  const whole = readFileSync(writeZip('whole.zip', [shp, dbf, prj]))
  const nulls = new Uint8Array(50 * 1024 ** 2)
  const sparse = writeFixture('nulls.dbf', '')
  truncateSync(sparse, 2 * 1024 ** 3)
  const broken: [file: string, reason: string][] = [
    [writeFixture('cut.zip', whole.subarray(0, whole.length >> 1)), 'is not a complete zip'],
    [writeZip('no-dbf.zip', [shp, prj]), 'its .dbf is missing'],
    [
      writeZip('cut-shp.zip', [{ ...shp, content: shp.content.subarray(0, -100) }, dbf, prj]),
      'damaged or not complete',
    ],
    [writeZip('cut-dbf.zip', [shp, { ...dbf, content: dbf.content.subarray(0, -100) }, prj]), 'too few for 1500 rows'],
    [
      writeZip('wrong-prj.zip', [shp, dbf, { ...prj, content: Buffer.from('GEOGCS["x"]') }]),
      'the coordinate system is not known',
    ],
    [sparse, 'is not a format that can be read'],
    [
      writeZip('bomb.zip', [{ name: 'a.csv', packed: deflateRawSync(nulls), sizeBytes: nulls.length }]),
      'it is a zip bomb',
    ],
  ]
  for (const [file, reason] of broken) await expect(load(file)).rejects.toThrow(reason)
  expect(await countParcels()).toBe(0)
})

/** Longer than any parcel's line may be. */
const LONG_LINE = 65 * 1024 ** 2
const HEADER = 'pin,owner,acres,value'

test.each<[what: string, file: () => string, reason: string | RegExp]>([
  ['an empty file', () => writeFixture('empty.csv', ''), /empty\.csv is empty$/],
  ['an empty archive', () => writeZip('empty.zip', []), 'has no file that can be read: it is empty'],
  [
    'a member that leads out of its archive',
    () => writeZip('outside.zip', [{ name: '../../x.csv', content: Buffer.from(`${HEADER}\n1,ELM,,\n`) }]),
    'outside.zip has the member "../../x.csv", whose path leads out of the archive',
  ],
  [
    'an archive in an archive',
    () => {
      const inner = writeZip('inner.zip', [{ name: 'lots.csv', content: Buffer.from(`${HEADER}\n1,ELM,,\n`) }])
      return writeZip('outer.zip', [{ name: 'inner.zip', content: readFileSync(inner) }])
    },
    'outer.zip/inner.zip is an archive in an archive: unpack outer.zip first',
  ],
  [
    'an archive beside a description',
    () => {
      const inner = writeZip('shapes.zip', [{ name: 'lots.csv', content: Buffer.from(`${HEADER}\n1,ELM,,\n`) }])
      return writeZip('download.zip', [
        { name: 'readme.txt', content: Buffer.from('Parcels, weekly\n\nSee shapes.zip\n') },
        { name: 'shapes.zip', content: readFileSync(inner) },
      ])
    },
    'download.zip/shapes.zip is an archive in an archive: unpack download.zip first',
  ],
  [
    'a table with 10,000 columns',
    () => writeFixture('wide.csv', `pin,${Array.from({ length: 9_999 }, (_, at) => `c${at}`).join()}\n`),
    'the header has 10000 columns, more than 2000',
  ],
  [
    'a line without an end',
    () => writeFixture('line.csv', Buffer.concat([Buffer.from(`${HEADER}\n1,`), Buffer.alloc(LONG_LINE, 'a')])),
    'line 2 is longer than 67108864 characters',
  ],
  [
    'compressed nulls',
    () => writeFixture('nulls.csv.gz', Bun.gzipSync(new Uint8Array(10 * 1024 ** 2))),
    'is not a format that can be read',
  ],
])('%s is refused, and nothing is written', async (_what, file, reason) => {
  const before = await countParcels()
  await expect(load(file())).rejects.toThrow(reason)
  expect(await countParcels()).toBe(before as number)
})

test.skipIf(process.platform !== 'linux')('a file that cannot be read is closed', async () => {
  const shp = Buffer.alloc(100)
  shp.writeInt32BE(9994, 0)
  shp.writeInt32BE(50, 24)
  shp.writeInt32LE(1000, 28)
  const dbf = Buffer.alloc(65)
  dbf[0] = 3
  dbf.writeUInt32LE(5, 4)
  dbf.writeUInt16LE(65, 8)
  dbf.writeUInt16LE(11, 10)
  dbf.write('pin', 32)
  dbf.write('C', 43)
  dbf[48] = 10
  dbf[64] = 0x0d
  const files = {
    'has no .prj': writeFixture('closed.shp', shp),
    'too few for 5 rows': writeFixture('closed.dbf', dbf),
  }
  const targetOf = (fd: string): string => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return 'closed meanwhile'
    }
  }
  const listOpen = () => readdirSync('/proc/self/fd').filter((fd) => targetOf(fd).includes('/closed.'))
  for (const [reason, file] of Object.entries(files)) await expect(load(file)).rejects.toThrow(reason)
  await waitFor(() => listOpen().length === 0)
})

test('coordinates that are not numbers, have their axes swapped or lack their minus sign are rejected with the reason', async () => {
  const rings = [
    '(NaN 45,-121 45,-121 46,NaN 45)',
    '(-122 45,Infinity 45,-121 46,-122 45)',
    '(-122 45,1e999 45,-121 46,-122 45)',
    '(45 -122,45 -121,46 -121,45 -122)',
    '(45 -70,45 -69,46 -69,45 -70)',
    '(122 45,121 45,121 46,122 45)',
  ]
  const csv = ['pin,owner,acres,value,wkt', ...rings.map((ring, index) => `bad${index},,,,"POLYGON(${ring})"`)]
  expect(await load(writeFixture('coordinates.csv', csv.join('\n')))).toMatchObject({ read: 6, rejected: 6 })
  const rejects = readFileSync(inFolder('broken.rejects.csv'), 'utf8').trim().split('\n').slice(1)
  for (const [index, reason] of [
    ...['is not a pair of numbers', 'is not a pair of numbers', 'is not a pair of numbers'],
    ...['are the axes swapped?', 'are the axes swapped?', 'longitude 122 is in Asia: is its minus sign missing?'],
  ].entries()) {
    expect(rejects[index]).toContain(reason)
  }
})

test('UTF-16 without a byte order mark is read, and an id is text whatever it looks like', async () => {
  const rows = `${['pin,owner,acres,value', '../../x,<script>ELM</script>,1,2'].join('\n')}\n`
  for (const [name, bytes] of [
    ['little.csv', Buffer.from(rows, 'utf16le')],
    ['big.csv', Buffer.from(rows, 'utf16le').swap16()],
  ] as const) {
    expect(await load(writeFixture(name, bytes))).toMatchObject({ read: 1, rejected: 0 })
  }
  const [stored] = await sql`select source_parcel_id, owner_name from parcels where source_parcel_id like '..%'`
  expect(stored).toEqual({ source_parcel_id: '../../x', owner_name: '<script>ELM</script>' })
  await sql`delete from parcels where source_parcel_id like '..%'`
})

test('after damage in the middle of a first load, the message says what is stored, and the whole file completes the load', async () => {
  await sql`insert into sources (source, state, county_name, vendor, base_url)
    values ('damaged', 'OR', 'Damaged', 'arcgis-rest', 'https://elm.example')`
  const feature = (pin: number) => `{"type":"Feature","properties":{"pin":"${pin}"},"geometry":null}`
  const whole = `{"type":"FeatureCollection","features":[${Array.from({ length: 2_500 }, (_, pin) => feature(pin)).join()}]}`
  const read = (name: string, text: string, isComplete = false) =>
    ingestParcels(sql, 'damaged', {
      ...{ file: writeFixture(name, text), map: parseFieldMap('source_parcel_id=pin', PARCEL_FIELDS), isComplete },
      rejectsFile: inFolder('damaged.rejects.csv'),
    })
  const cut = whole.slice(0, whole.indexOf('"2000"'))
  await expect(read('damaged.geojson', cut)).rejects.toThrow(
    'The file is loaded up to there: 2,000 rows, 2,000 inserted, 0 updated, 0 unchanged, 0 rejected. Load the whole file',
  )
  expect(await read('damaged.geojson', whole)).toMatchObject({ inserted: 500, unchanged: 2_000 })
  await expect(read('damaged.geojson', cut, true)).rejects.toThrow(/the file ends inside the Feature[^.]*$/)

  await sql`insert into sources (source, state, county_name, vendor, base_url)
    values ('direct', 'OR', 'Direct', 'arcgis-rest', 'https://elm.example')`
  const direct = ingestParcels(sql, 'direct', {
    ...{ file: writeFixture('direct.geojson', cut), map: parseFieldMap('source_parcel_id=pin', PARCEL_FIELDS) },
    ...{ rejectsFile: inFolder('damaged.rejects.csv'), isComplete: true },
  })
  await expect(direct).rejects.toThrow(
    /and [12],000 parcels are stored\. Load the whole file to complete them, or take them back: bun run loads undo /,
  )
})

test.each([
  ['between two cells', '1,ELM,OAK ST\n2,AS', 2],
  ['in a quoted cell', '1,ELM,OAK ST\n2,ASH,"OAK', 2],
  ['in the second line of a quoted cell', '1,ELM,OAK ST\n2,ASH,"OAK\nST', 3],
])(
  'a CSV that is cut off %s retires no parcels, and is loaded up to there if it is not complete',
  async (where, rows, line) => {
    const source = `cut-${where.replaceAll(' ', '-')}`
    await sql`insert into sources (source, state, county_name, vendor, base_url)
    values (${source}, 'OR', 'Cut', 'arcgis-rest', 'https://elm.example')`
    const read = (text: string, isComplete: boolean) =>
      ingestParcels(sql, source, {
        file: writeFixture(`${source}.csv`, `pin,owner,address\n${text}`),
        ...{ map: parseFieldMap('source_parcel_id=pin, owner_name=owner', PARCEL_FIELDS), isComplete },
        rejectsFile: inFolder('cut.rejects.csv'),
      })
    expect(await read('1,ELM,\n2,ASH,\n3,FIR,OAK ST', true)).toMatchObject({ inserted: 3, rejected: 0 })
    const message = `${source}.csv ends within line ${line + 1}`
    await expect(read(rows, true)).rejects.toThrow(message)
    await expect(read(rows, false)).rejects.toThrow(new RegExp(`${message}.*The file is loaded up to there: [12] row`))
    const listed = await sql`select source_parcel_id from live_parcels where source = ${source}`
    expect(listed).toHaveLength(3)
  },
)

test('a last line of a CSV that ends, or is only Ctrl+Z, is not taken for a cut one', async () => {
  for (const [end, rejected] of [
    ['2,ASH\n', 1],
    ['2,ASH,OAK ST,x', 1],
    ['2,"ASH"x,OAK ST', 1],
    ['\u001a', 0],
    ['\u001a\n', 0],
  ] as const) {
    const summary = await ingestParcels(sql, 'elm', {
      file: writeFixture('ended.csv', `pin,owner,address\n1,ELM,OAK ST\n${end}`),
      map: parseFieldMap('source_parcel_id=pin', PARCEL_FIELDS),
      rejectsFile: inFolder('ended.rejects.csv'),
    })
    expect(summary).toMatchObject({ read: 1 + rejected, rejected })
  }
})

interface Member {
  name: string
  content: Buffer
}

test.skipIf(!hasGdal)(
  'several files are one load, a second load of them in another format writes nothing',
  async () => {
    const text = readFileSync(writeParcels('parts.geojsonl', 40), 'utf8').trim().split('\n')
    const first = writeFixture('first.geojsonl', `${text.slice(0, 15).join('\n')}\n`)
    const second = writeFixture('second.geojsonl', `${[...text.slice(15), 'x', text[0]].join('\n')}\n`)
    const loaded = await load(first, second)
    expect(loaded).toMatchObject({ read: 42, inserted: 40, rejected: 2 })
    const rejects = readFileSync(inFolder('broken.rejects.csv'), 'utf8')
    expect(rejects).toContain('"second.geojsonl, line 26","not JSON')
    expect(rejects).toContain('"second.geojsonl, line 27","duplicate of first.geojsonl, line 1"')
    const gpkg = convert(writeParcels('parts.geojsonl', 40), 'parts.gpkg', 'GPKG')
    expect(await load(gpkg)).toMatchObject({ read: 40, inserted: 0, updated: 0, unchanged: 40, rejected: 0 })
  },
)
