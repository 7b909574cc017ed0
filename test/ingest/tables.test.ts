import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { type ReadOptions, readRows } from '../../src/ingest/rows/read-rows'
import { readAll } from './files/write-fixture'
import { writeZip } from './files/write-zip'

/** A dBASE III table of texts (C) or numbers (N). A row that begins with `*` is deleted. */
const dbf = (columns: readonly string[], rows: readonly (readonly string[])[], type = 'C'): Buffer => {
  const width = 20
  const header = Buffer.alloc(32)
  header.set([3, 126, 11, 28])
  header.writeUInt32LE(rows.length, 4)
  header.writeUInt16LE(32 + 32 * columns.length + 1, 8)
  header.writeUInt16LE(1 + width * columns.length, 10)
  const fields = columns.map((name) => {
    const field = Buffer.alloc(32)
    field.write(`${name.padEnd(11, '\0')}${type}`, 'latin1')
    field[16] = width
    return field
  })
  const records = rows.map(([mark = ' ', ...cells]) => mark + cells.map((cell) => cell.padEnd(width)).join(''))
  return Buffer.concat([header, ...fields, Buffer.from('\r'), Buffer.from(`${records.join('')}\x1a`, 'latin1')])
}

const ROLL = dbf(
  ['PROP_ID', 'OWNER'],
  [
    [' ', 'R-1', 'HOLLIS JUNE'],
    ['*', 'R-2', 'NOBODY'],
    [' ', 'R-3', 'PE\u00d1A'],
  ],
)
const ROWS = [
  { line: 1, properties: { PROP_ID: 'R-1', OWNER: 'HOLLIS JUNE' } },
  { line: 3, properties: { PROP_ID: 'R-3', OWNER: 'PE\u00d1A' } },
]

const read = async (file: string, options: ReadOptions = {}) => (await Array.fromAsync(readRows(file, options))).flat()

test('a dBASE table without a shapefile is read, without its deleted rows', async () => {
  expect(await readAll('roll.dbf', ROLL)).toEqual(ROWS)
  expect(await read(writeZip('roll-dbf.zip', [{ name: 'County/Assess.DBF', content: ROLL }]))).toEqual(ROWS)
})

test('a number of a dBASE table with more digits than a number can have is text without its decimals', async () => {
  const ids = ['12345.0', '12345678901234567.0', '12345678901234568.000', '12345678901234569']
  const table = dbf(
    ['PIN'],
    ids.map((id) => [' ', id]),
    'N',
  )
  expect((await readAll('long.dbf', table)).map((row) => 'properties' in row && row.properties.PIN)).toEqual([
    12345,
    '12345678901234567',
    '12345678901234568',
    '12345678901234569',
  ])
})

const member = (name: string, content: string | Buffer) => ({ name, content: Buffer.from(content) })
const TEXT = member('NAL/roll.txt', 'PROP_ID|OWNER\nR-1|HOLLIS JUNE\n')
const TEXT_ROWS = [{ line: 2, properties: { PROP_ID: 'R-1', OWNER: 'HOLLIS JUNE' } }]

test('a text file in a zip is the table if there is no other, or if --layer names it', async () => {
  expect(await read(writeZip('text.zip', [TEXT, member('NAL/layout.pdf', '%PDF-1.7')]))).toEqual(TEXT_ROWS)
  const lots = member('lots.csv', 'PIN\n1\n')
  const both = writeZip('both.zip', [lots, TEXT, member('Assess.dbf', ROLL)])
  expect(await read(both)).toEqual([{ line: 2, properties: { PIN: '1' } }])
  expect(await read(both, { layer: 'roll.txt' })).toEqual(TEXT_ROWS)
  expect(await read(both, { layer: 'Assess' })).toEqual(ROWS)
  await expect(read(writeZip('texts.zip', [TEXT, member('readme.txt', 'Read me.')]))).rejects.toThrow(
    'texts.zip has several files: NAL/roll.txt, readme.txt. Which one?',
  )
})

test('the name of a layer that does not exist is refused, not ignored', async () => {
  const zip = writeZip('one.zip', [member('County/lots.csv', 'PIN\n1\n')])
  expect(await read(zip, { layer: 'lots' })).toHaveLength(1)
  await expect(read(zip, { layer: 'roll' })).rejects.toThrow(
    'there is no layer "roll": one.zip/County/lots.csv has only one table',
  )
})

test('Parquet without metadata of GeoParquet is a table; one with a binary column is refused, because it may have the boundaries', async () => {
  const pins = { name: 'pin', data: ['1', '2'], type: 'STRING' as const }
  const table = parquetWriteBuffer({ columnData: [pins] })
  expect(await readAll('table.parquet', new Uint8Array(table))).toEqual([
    { line: 1, properties: { pin: '1' } },
    { line: 2, properties: { pin: '2' } },
  ])
  const bytes = [Uint8Array.of(1), Uint8Array.of(2)]
  const binary = parquetWriteBuffer({ columnData: [pins, { name: 'geom', data: bytes, type: 'BYTE_ARRAY' }] })
  await expect(readAll('binary.parquet', new Uint8Array(binary))).rejects.toThrow('its column "geom" is binary')
})

const tar = Buffer.alloc(512)
tar.write('lots.csv')
tar.write('ustar', 257)

test.each<[name: string, content: string | Buffer, reason: string]>([
  [
    'old.xls',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'old.xls is an old Excel or Word file. Save the sheet as "CSV UTF-8"',
  ],
  ['roll.mdb', '\0\x01\0\0Standard Jet DB\0', 'roll.mdb is an Access database. Export the table as CSV'],
  ['roll.pdf', '%PDF-1.7\n1 0 obj', 'roll.pdf is a PDF, not data'],
  ['lots.7z', Buffer.from('377abcaf271c0004', 'hex'), 'lots.7z is a 7z archive. Unpack it first'],
  ['lots.rar', 'Rar!\x1a\x07', 'lots.rar is a RAR archive. Unpack it first'],
  ['lots.csv.bz2', 'BZh91AY&SY', 'lots.csv.bz2 is compressed with bzip2. Unpack it first'],
  ['lots.csv.xz', Buffer.from('fd377a585a000004', 'hex'), 'lots.csv.xz is compressed with xz. Unpack it first'],
  ['lots.csv.zst', Buffer.from('28b52ffd24', 'hex'), 'lots.csv.zst is compressed with Zstandard. Unpack it first'],
  [
    'query.geojson',
    '{"error":{"code":400,"message":"Invalid query"}}',
    'query.geojson is the error message of a server, not data. Open the file to read it',
  ],
  ['lots.tgz', gzipSync(tar), 'lots.tgz is a tar archive. Unpack it first'],
  [
    'lots.csv',
    '\ufeff<!DOCTYPE html>\n<html><body>Not found',
    'lots.csv is a web page, not data. Is its URL the one of the file?',
  ],
])('%s is refused by what it is', async (name, content, reason) => {
  await expect(readAll(name, content)).rejects.toThrow(reason)
})

test('an Excel workbook is refused by what it is', async () => {
  const parts = ['[Content_Types].xml', '_rels/.rels', 'xl/_rels/workbook.xml.rels', 'xl/workbook.xml']
  const workbook = writeZip(
    'roll.xlsx',
    parts.map((name) => member(name, '<?xml version="1.0"?>')),
  )
  await expect(read(workbook)).rejects.toThrow('roll.xlsx is an Excel workbook. Save the sheet as "CSV UTF-8"')
})

test('an OpenDocument spreadsheet is refused by what it is', async () => {
  const sheet = writeZip('roll.ods', [
    member('mimetype', 'application/vnd.oasis.opendocument.spreadsheet'),
    member('content.xml', '<?xml version="1.0"?>'),
  ])
  await expect(read(sheet)).rejects.toThrow('roll.ods is an OpenDocument file. Save the sheet as CSV')
})

test('a header that is repeated between the rows of a CSV is not a row', async () => {
  expect(await readAll('joined.csv', 'PIN,OWNER\nQ-1,ELM ADA\nPIN,OWNER\nQ-2,ELM BEN\n')).toEqual([
    { line: 2, properties: { PIN: 'Q-1', OWNER: 'ELM ADA' } },
    { line: 3, reason: 'the header is repeated' },
    { line: 4, properties: { PIN: 'Q-2', OWNER: 'ELM BEN' } },
  ])
})

test('a CSV with a few control characters is read, and binary data is refused', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => `${index},ELM ADA\n`).join('')
  expect(await readAll('controls.csv', `PIN,OWNER\n${rows}50,ELM\0ADA\n51,ELM\u0007ADA\n`)).toHaveLength(52)
  const binary = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 37) % 256))
  await expect(readAll('binary.csv', binary)).rejects.toThrow('binary.csv is not a format that can be read')
})

const topology = (...layers: string[]) => {
  const lot = { type: 'Polygon', arcs: [[0]] }
  return JSON.stringify({
    type: 'Topology',
    arcs: [
      [
        [-121, 44],
        [-121, 44.1],
        [-121.1, 44],
        [-121, 44],
      ],
    ],
    objects: Object.fromEntries(
      layers.map((layer) => [
        layer,
        { type: 'GeometryCollection', geometries: [{ ...lot, properties: { LAYER: layer } }] },
      ]),
    ),
  })
}

test('a layer of one of several files in a zip is named by its file, and by both if the file has several', async () => {
  const zip = writeZip('layers.zip', [
    member('2026/lots.json', topology('parcels')),
    member('2026/other.json', topology('roads', 'streams')),
  ])
  const readLayer = async (layer: string | null) =>
    (await read(zip, { layer })).map((row) => 'properties' in row && row.properties.LAYER)
  await expect(readLayer(null)).rejects.toThrow('has several files: 2026/lots.json, 2026/other.json. Which one?')
  expect(await readLayer('2026/lots.json')).toEqual(['parcels'])
  expect(await readLayer('lots')).toEqual(['parcels'])
  await expect(readLayer('2026/other.json')).rejects.toThrow(
    'has several layers: 2026/other.json/roads, 2026/other.json/streams. Which one?',
  )
  expect(await readLayer('2026/other.json/streams')).toEqual(['streams'])
  await expect(readLayer('2026/other.json/creeks')).rejects.toThrow(
    'has no layer "creeks": it has 2026/other.json/roads',
  )
})
