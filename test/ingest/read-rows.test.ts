import { expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Coordinates } from '../../src/ingest/coordinates/coordinates'
import { readCsv } from '../../src/ingest/formats/csv'
import { readLines } from '../../src/ingest/formats/read-lines'
import { readRows } from '../../src/ingest/rows/read-rows'
import type { ReadRow } from '../../src/ingest/rows/source-row'
import { readAll, writeFixture } from './files/write-fixture'

const feature = (id: string, geometry: unknown = null) => ({ type: 'Feature', properties: { id }, geometry })

test('CSV: quotes, commas, line ends within a field, CRLF and a byte order mark are read according to RFC 4180', async () => {
  const rows = await readAll(
    'quotes.csv',
    '\ufeffid,owner\r\n1,"ELM, ADA"\r\n2,"BO ""THE"" BIRCH"\r\n3,"two\r\nlines"\r\n\r\n4,\r\n',
  )
  expect(rows).toEqual([
    { line: 2, properties: { id: '1', owner: 'ELM, ADA' } },
    { line: 3, properties: { id: '2', owner: 'BO "THE" BIRCH' } },
    { line: 4, properties: { id: '3', owner: 'two\nlines' } },
    { line: 7, properties: { id: '4', owner: '' } },
  ])
})

test('CSV: lines that end with CR alone, as Excel wrote them on a Mac, are read, and LF is a line break in a cell', async () => {
  const text = '"id","own\ner"\r1,"two\nlines"\r\r2,"and\rthree"\r3,x\r'
  const rows = [
    { line: 2, properties: { id: '1', 'own\ner': 'two\nlines' } },
    { line: 4, properties: { id: '2', 'own\ner': 'and\nthree' } },
    { line: 6, properties: { id: '3', 'own\ner': 'x' } },
  ]
  expect(await readAll('mac.csv', text)).toEqual(rows)
  expect(await readAll('mac.csv', Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(rows)
  const inPieces = readCsv(
    readLines(
      (async function* () {
        for (const byte of Buffer.from(text)) yield Uint8Array.of(byte)
      })(),
      null,
    ),
    () => {},
  )
  expect((await Array.fromAsync(inPieces)).flat()).toEqual(rows)
})

test('CSV: a CR in a quoted column name does not end the lines of a file whose lines end with LF', async () => {
  expect(await readAll('cr-in-name.csv', 'id,"own\rer"\n1,"a\rb"\n2,c')).toEqual([
    { line: 2, properties: { id: '1', 'own\rer': 'a\rb' } },
    { line: 3, properties: { id: '2', 'own\rer': 'c' } },
  ])
})

test('CSV: any written record is read back, with the line where it begins', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\n', ' ', ';') })
  const table = fc
    .integer({ min: 2, max: 4 })
    .chain((width) =>
      fc
        .array(fc.array(field, { minLength: width, maxLength: width }), { maxLength: 20 })
        .map((rows) => ({ width, rows })),
    )
  await fc.assert(
    fc.asyncProperty(table, async ({ width, rows }) => {
      const header = Array.from({ length: width }, (_, index) => `c${index}`)
      const records = rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))
      const read = await readAll('any.csv', `${header.join(',')}\n${records.join('\n')}`)
      let line = 2
      const expected = rows.map((row, index) => {
        const began = line
        line += (records[index] ?? '').split('\n').length
        return { line: began, properties: Object.fromEntries(row.map((value, column) => [`c${column}`, value])) }
      })
      expect(read).toEqual(expected)
    }),
    { numRuns: 200 },
  )
})

test('CSV: a missing quote costs only its own row', async () => {
  const after = Array.from({ length: 1000 }, (_, index) => `${index + 10},"OAK, ${index}"`)
  const rows = await readAll('lost.csv', ['id,owner', '1,"ELM', '2,5" PIPE RD', ...after].join('\n'))
  expect(rows.slice(0, 2)).toEqual([
    { line: 2, reason: expect.stringContaining('quote') },
    { line: 3, reason: expect.stringContaining('quote') },
  ])
  expect(rows.slice(2)).toHaveLength(1000)
  expect(rows.at(-1)).toEqual({ line: 1003, properties: { id: '1009', owner: 'OAK, 999' } })
})

test('CSV: a row with another number of cells is rejected with both numbers', async () => {
  expect(await readAll('width.csv', 'id,owner\n1,ELM,ADA\n2,OAK')).toEqual([
    { line: 2, reason: '3 fields where the header has 2' },
    { line: 3, properties: { id: '2', owner: 'OAK' } },
  ])
})

test('CSV: empty cells after the last column, texts as formulas and a line that names the delimiter are read as spreadsheets write them', async () => {
  expect(await readAll('extra.csv', 'id,owner\n1,ELM,\n2,OAK,, \n')).toEqual([
    { line: 2, properties: { id: '1', owner: 'ELM' } },
    { line: 3, properties: { id: '2', owner: 'OAK' } },
  ])
  expect(await readAll('formula.csv', 'id,owner\n="0012",ELM\n"=""0013""","=1+1"\n')).toEqual([
    { line: 2, properties: { id: '0012', owner: 'ELM' } },
    { line: 3, properties: { id: '0013', owner: '=1+1' } },
  ])
  expect(await readAll('sep.csv', 'sep=|\r\nid,no|owner\r\n1|ELM\r\n')).toEqual([
    { line: 3, properties: { 'id,no': '1', owner: 'ELM' } },
  ])
})

test('CSV: tabs, semicolons and vertical bars are recognized as delimiters', async () => {
  for (const delimiter of ['\t', ';', '|']) {
    expect(await readAll('delimited.csv', `id${delimiter}"a,b,c"\n1${delimiter}x`)).toEqual([
      { line: 2, properties: { id: '1', 'a,b,c': 'x' } },
    ])
  }
})

test('CSV: windows-1252 and UTF-16 are recognized, an encoding can be named, and an unknown one is refused', async () => {
  const bytes = Uint8Array.from([...'id,owner\n1,PE'].map((c) => c.charCodeAt(0)).concat([0xd1, 0x41]))
  const rows = [{ line: 2, properties: { id: '1', owner: 'PEÑA' } }]
  expect(await readAll('latin.csv', bytes)).toEqual(rows)
  expect(await readAll('latin.csv', bytes, { encoding: 'windows-1252' })).toEqual(rows)
  const utf16 = Buffer.from('id,owner\n1,PEÑA', 'utf16le')
  for (const start of ['\ufeff', '']) {
    const little = Buffer.concat([Buffer.from(start, 'utf16le'), utf16])
    expect(await readAll('wide.csv', little)).toEqual(rows)
    expect(await readAll('wide.csv', Buffer.from(little).swap16())).toEqual(rows)
  }
  await expect(readAll('latin.csv', bytes, { encoding: 'klingon' })).rejects.toThrow('no encoding "klingon"')
})

test('CSV: an empty file is refused', async () => {
  await expect(readAll('empty.csv', '')).rejects.toThrow('empty.csv is empty')
})

test('CSV: columns with the same name get numbers', async () => {
  expect(await readAll('twice.csv', 'id,owner,owner,owner_2,owner,,\n1,A,B,C,D,,\n')).toEqual([
    { line: 2, properties: { id: '1', owner: 'A', owner_3: 'B', owner_2: 'C', owner_4: 'D', '': '' } },
  ])
})

test('CSV: titles above the header are left out', async () => {
  const rows = [
    { line: 5, properties: { PIN: '1', OWNER: 'ELM, ADA', CITY: 'ELM' } },
    { line: 6, properties: { PIN: '2', OWNER: 'OAK', CITY: '' } },
  ]
  const table = 'PIN,OWNER,CITY\n1,"ELM, ADA",ELM\n2,OAK,\n'
  for (const titles of ['Elm County\nRoll of 2026\n\n', 'Elm County,,\n"Roll, 2026",,\n,,\n'])
    expect(await readAll('titles.csv', titles + table)).toEqual(rows)
  expect(
    await readAll('titles.txt', `Elm County\n\n\n${table.replaceAll(',', '|').replace('"ELM| ADA"', 'ELM, ADA')}`),
  ).toEqual(rows)
  const inPieces = readCsv(
    readLines(
      (async function* () {
        for (const byte of Buffer.from(`Elm County\n\n\n${table}`)) yield Uint8Array.of(byte)
      })(),
      null,
    ),
    () => {},
  )
  expect((await Array.fromAsync(inPieces)).flat()).toEqual(rows)
})

test('CSV: a header of one column stays the header, whatever is below it', async () => {
  expect(await readAll('one.csv', 'ADDRESS\n12 OAK ST, ELM, OR\n14 OAK ST, ELM, OR\n')).toEqual([
    { line: 2, reason: '3 fields where the header has 1' },
    { line: 3, reason: '3 fields where the header has 1' },
  ])
  expect(await readAll('one.csv', 'id\nA\nB\n')).toEqual([
    { line: 2, properties: { id: 'A' } },
    { line: 3, properties: { id: 'B' } },
  ])
})

test('CSV: an apostrophe before a formula is not part of the text', async () => {
  expect(await readAll('apostrophe.csv', `id,a,b\n'-5-3,'=1,"'+ELM, ADA"\n'12,''=1,O'=\n`)).toEqual([
    { line: 2, properties: { id: '-5-3', a: '=1', b: '+ELM, ADA' } },
    { line: 3, properties: { id: "'12", a: "'=1", b: "O'=" } },
  ])
})

test('GeoJSON lines: a broken line is a reject with its number', async () => {
  const text = [
    JSON.stringify(feature('1')),
    '{"type":"Feature",',
    '',
    '[1]',
    `\u001e${JSON.stringify(feature('2'))}`,
    '{"type":"Point","coordinates":[1,2]}',
  ].join('\r\n')
  expect(await readAll('broken.geojsonl', text)).toEqual([
    { line: 1, properties: { id: '1' }, geometry: null },
    { line: 2, reason: expect.stringContaining('not JSON') },
    { line: 4, reason: 'not a GeoJSON Feature but [1]' },
    { line: 5, properties: { id: '2' }, geometry: null },
    { line: 6, reason: 'a GeoJSON Point where a Feature is wanted' },
  ])
})

test('a GeoJSON text sequence can have objects of several lines, and a broken one is one reject', async () => {
  const pretty = (value: unknown) => `\u001e${JSON.stringify(value, null, 2)}\n`
  const text = `\ufeff${pretty(feature('1'))}\u001e{\n"type":\n\u001e\u001e\n${pretty(feature('2'))}`
  const rows = [
    { line: 1, properties: { id: '1' }, geometry: null },
    { line: 8, reason: expect.stringContaining('not JSON') },
    { line: 11, properties: { id: '2' }, geometry: null },
  ]
  expect(await readAll('sequence.geojsons', text)).toEqual(rows)
})

test('GeoJSON lines and text sequences that are cut off are refused after their whole rows', async () => {
  const rows = [1, 2, 3].map((pin) => JSON.stringify(feature(`${pin}`)))
  for (const [name, text, line] of [
    ['cut.geojsonl', rows.join('\n'), 3],
    ['cut.geojsonl', rows.join('\r\n'), 3],
    [
      'cut.geojsons',
      rows
        .map((row) => `\u001e${row}\n`)
        .join('')
        .trimEnd(),
      3,
    ],
  ] as const) {
    const read: unknown[] = []
    const reading = (async () => {
      for await (const some of readRows(writeFixture(name, text.slice(0, -20)), {})) read.push(...some)
    })()
    await expect(reading).rejects.toThrow(`${name} ends inside the object that begins on line ${line}`)
    expect(read).toHaveLength(2)
    expect(await readAll(name, text)).toHaveLength(3)
  }
})

test('a file that is changed while it is read is refused', async () => {
  const row = `${JSON.stringify(feature('1'))}\n`
  const file = writeFixture('growing.geojsonl', row.repeat(10_000))
  const reading = (async () => {
    for await (const _ of readRows(file)) appendFileSync(file, row)
  })()
  await expect(reading).rejects.toThrow('growing.geojsonl was changed while it was read')
})

test('GeoJSON lines: plain objects are rows too, and a Feature id is $id', async () => {
  expect(await readAll('plain.jsonl', '{"id":"1","type":"LLC"}\n{"type":"Feature","id":7,"properties":null}')).toEqual([
    { line: 1, properties: { id: '1', type: 'LLC' } },
    { line: 2, properties: { $id: 7 }, geometry: null },
  ])
})

test('a .geojson with one Feature per line is read as lines', async () => {
  expect(
    await readAll('lines.geojson', `${JSON.stringify(feature('1'))}\n${JSON.stringify(feature('2'))}\n`),
  ).toHaveLength(2)
})

const collection = `{
  "name": "elm \\"features\\": [", "crs": {"type": "name", "properties": {"features": [{"deep": [[{"a": 1}]]}]}},
  "notes": ["features", [1, [2, {"features": []}]]],
  "features": [
    {"type": "Feature", "properties": {"id": "1", "tags": {"a": {"b": ["}", "]", "\\\\"]}}}, "geometry": null},
    {"type": "Feature", "properties": {"id": "é😀"},
     "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}},
    {"type": "Feature", "properties": {"id": nonsense}, "geometry": null},
    null,
    {"type": "Feature", "properties": {"id": "4"}, "geometry": null}
  ],
  "type": "FeatureCollection", "bbox": [0, 0, 1, 1]
}`
const collected = [
  { line: 1, properties: { id: '1', tags: { a: { b: ['}', ']', '\\'] } } }, geometry: null },
  {
    line: 2,
    properties: { id: 'é😀' },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
  },
  { line: 3, reason: expect.stringContaining('not JSON') },
  { line: 4, reason: 'not a GeoJSON Feature but a value of another kind' },
  { line: 5, properties: { id: '4' }, geometry: null },
]

test('FeatureCollection: Features are found behind foreign members of any depth, and a broken one is one reject', async () => {
  expect(await readAll('collection.geojson', collection)).toEqual(collected)
  expect(await readAll('collection.json', JSON.stringify({ type: 'FeatureCollection', features: [] }))).toEqual([])
})

test('FeatureCollection: where the chunks end makes no difference', async () => {
  const { readFeatureCollection } = await import('../../src/ingest/formats/feature-collection')
  const bytes = new TextEncoder().encode(collection)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), async (cuts) => {
      const ends = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      const chunks = (async function* () {
        for (let index = 1; index < ends.length; index++) yield bytes.slice(ends[index - 1], ends[index])
      })()
      const rows = []
      for await (const some of readFeatureCollection(chunks, 'utf-8')) rows.push(...some)
      expect(rows).toEqual(collected)
    }),
    { numRuns: 100 },
  )
})

const withCrs = (crs: unknown, place: 'before' | 'after') =>
  place === 'before'
    ? `{"type":"FeatureCollection","crs":${JSON.stringify(crs)},"features":[${JSON.stringify(feature('1'))}]}`
    : `{"type":"FeatureCollection","features":[${JSON.stringify(feature('1'))}],"crs":${JSON.stringify(crs)}}`
const named = (name: string) => ({ type: 'name', properties: { name } })

test.each([
  named('EPSG:14326'),
  { type: 'link', properties: { href: 'https://example.com/crs/42' } },
  'somewhere in Ohio',
])('a file with the unknown reference system %j is refused, unless --crs names another', async (crs) => {
  await expect(readAll('crs.geojson', withCrs(crs, 'before'))).rejects.toThrow('Name it with --crs')
  await expect(readAll('crs.geojson', withCrs(crs, 'after'))).rejects.toThrow('Name it with --crs')
  const coordinates = new Coordinates('EPSG:4326')
  expect(await readAll('crs.geojson', withCrs(crs, 'before'), { coordinates })).toHaveLength(1)
})

test.each([
  named('EPSG:2913'),
  named('urn:ogc:def:crs:EPSG::2913'),
  named('http://www.opengis.net/def/crs/EPSG/0/2913'),
  { type: 'EPSG', properties: { code: 2913 } },
  'EPSG:2913',
])('a file with the reference system %j before its Features is read, and refused if it is after them', async (crs) => {
  expect(await readAll('crs.geojson', withCrs(crs, 'before'))).toHaveLength(1)
  await expect(readAll('crs.geojson', withCrs(crs, 'after'))).rejects.toThrow('is after its features: add --crs')
  expect(await readAll('crs.geojsonl', JSON.stringify({ ...feature('1'), crs }))).toEqual([
    { line: 1, properties: { id: '1' }, geometry: null, crs },
  ])
})

test.each([
  named('urn:ogc:def:crs:OGC:1.3:CRS84'),
  named('urn:ogc:def:crs:OGC::CRS84'),
  named('EPSG:4326'),
  named('urn:ogc:def:crs:EPSG::4269'),
  named('http://www.opengis.net/def/crs/EPSG/0/4326'),
  null,
  { type: 'name' },
])('a file with the reference system %j is read', async (crs) => {
  expect(await readAll('crs.geojson', withCrs(crs, 'before'))).toHaveLength(1)
  expect(await readAll('crs.geojson', withCrs(crs, 'after'))).toHaveLength(1)
})

test('FeatureCollection: a second one in the same file is not left out silently', async () => {
  const collection = '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{}}]}'
  for (const text of [`${collection}\n${collection}`, collection.replace(/}$/, ',\n"features":[]}')]) {
    const rows: ReadRow[] = []
    const read = async () => {
      for await (const some of readRows(writeFixture('second.geojson', text))) rows.push(...some)
    }
    await expect(read()).rejects.toThrow('a second collection of Features begins on line 2')
    expect(rows).toHaveLength(1)
  }
})

test('FeatureCollection: a truncated or invalid one is refused with the line', async () => {
  await expect(readAll('cut.geojson', collection.slice(0, collection.indexOf('"Polygon"')))).rejects.toThrow(
    'the file ends inside the Feature that begins on line 6',
  )
  await expect(readAll('unclosed.geojson', '{"type":"FeatureCollection","features":[')).rejects.toThrow(
    'before its FeatureCollection does',
  )
  await expect(readAll('none.geojson', '{"type":"Polygon","coordinates":[]}')).rejects.toThrow('it has no "features"')
})

test('gzip is read under any name and with several members; truncated or damaged gzip is refused', async () => {
  const text = Array.from({ length: 5000 }, (_, index) => JSON.stringify(feature(`${index} ${Math.random()}`))).join(
    '\n',
  )
  const half = gzipSync(`${text}\n`)
  expect(await readAll('a.geojsonl.gz', half)).toHaveLength(5000)
  expect(await readAll('a.geojsonl', half)).toHaveLength(5000)
  expect(await readAll('two.geojsonl.gz', Buffer.concat([half, half]))).toHaveLength(10_000)
  expect(await readAll('a.csv.gz', gzipSync('id\n1\n'))).toHaveLength(1)
  expect(await readAll('a.geojson.gz', gzipSync(collection))).toHaveLength(5)
  await expect(readAll('cut.geojsonl.gz', half.subarray(0, half.length >> 1))).rejects.toThrow(
    'cut.geojsonl.gz: the gzip stream is cut off',
  )
  const damaged = Buffer.from(half)
  damaged.fill(0xff, half.length >> 1, (half.length >> 1) + 50)
  await expect(readAll('damaged.geojsonl.gz', damaged)).rejects.toThrow('the gzip stream is damaged')
})

test('a file of another format and a missing file are refused', async () => {
  await expect(readAll('parcels.csv', new Uint8Array(5_000))).rejects.toThrow(
    'parcels.csv is not a format that can be read',
  )
  await expect(readAll('parcels.csv', '<?xml version="1.0"?>')).rejects.toThrow('GDAL')
  const { fileSize } = await import('../../src/ingest/inputs/read-bytes')
  expect(() => fileSize('/nowhere/parcels.csv')).toThrow('/nowhere/parcels.csv: no such file')
})

test('JSON that is no GeoJSON is refused, and says how to get one that can be read', async () => {
  const esri = {
    geometryType: 'esriGeometryPolygon',
    features: [{ attributes: { PIN: '1' }, geometry: { rings: [] } }],
  }
  for (const text of [JSON.stringify(esri), JSON.stringify(esri, null, 2)])
    await expect(readAll('query.json', text)).rejects.toThrow(
      'query.json is Esri JSON. Download it as GeoJSON, with f=geojson',
    )
  await expect(readAll('array.json', '[{"PIN":"1"},\n{"PIN":"2"}]')).rejects.toThrow(
    'array.json is a JSON array. Write one object per line, without the brackets',
  )
  expect(await readAll('brackets.csv', '[PIN],[OWNER]\n1,ELM')).toHaveLength(1)
})

test('the format is recognized by the content, whatever the name of the file', async () => {
  expect(await readAll('a.csv', JSON.stringify(feature('1')))).toHaveLength(1)
  expect(await readAll('b.geojson', 'id\n1\n2\n')).toHaveLength(2)
  expect(await readAll('c', collection)).toHaveLength(5)
})

test('a text file with the name of a binary format is refused', async () => {
  await expect(readAll('hello.shp', 'hello\n')).rejects.toThrow('hello.shp is text, not a shapefile')
  expect(await readAll('hello.shp', 'hello\n1\n', { format: 'csv' })).toHaveLength(1)
})
