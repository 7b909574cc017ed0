import { beforeEach, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { connectDatabase } from '../../core/postgres/database'
import { csvCell } from '../../core/text/csv-cell'
import { createSource } from '../../drizzle/queries/sources/create-source'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { ENTITY_FIELDS, PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { type IngestOptions, ingestEntities, ingestParcels } from '../../src/ingest/ingest'
import { writeBatch } from '../../src/ingest/writing/write-batch'
import { createTestDatabase, waitFor } from '../support/servers'
import { inFolder, writeFixture } from './files/write-fixture'

const { url, sql } = await createTestDatabase()
await createSource(sql, { source: 'elm', state: 'OR', countyName: 'Elm', baseUrl: 'https://elm.example' })

beforeEach(async () => {
  await sql`delete from parcels`
  await sql`delete from entities`
  await sql`delete from search_outbox`
})

const square = (west: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, 45],
      [west, 45.01],
      [west + 0.01, 45.01],
      [west + 0.01, 45],
    ],
  ],
})
const line = (id: string | null, rest: Record<string, unknown> = {}, geometry: unknown = square(-120)) =>
  JSON.stringify({ type: 'Feature', properties: { source_parcel_id: id, ...rest }, geometry })
const rejectsFile = inFolder('rejects.csv')
const ingest = (file: string, options: Partial<IngestOptions> & { fields?: string } = {}) =>
  ingestParcels(sql, 'elm', { file, map: parseFieldMap(options.fields ?? '', PARCEL_FIELDS), rejectsFile, ...options })
const counts = ({
  read,
  inserted,
  updated,
  unchanged,
  rejected,
}: Record<'read' | 'inserted' | 'updated' | 'unchanged' | 'rejected', number>) => ({
  read,
  inserted,
  updated,
  unchanged,
  rejected,
})

test('bad rows are rejected with line and reason, good ones are loaded, and every row is counted', async () => {
  const file = writeFixture(
    'mixed.geojsonl',
    [
      line('1', { owner_name: ' ADA  ELM ', assessed_value: '$1,234.50', acreage: 2 }),
      '{"type":',
      line(null),
      line('2', { assessed_value: 'much' }),
      line('3', {}, { type: 'LineString', coordinates: [[-120, 45]] }),
      line('1', { owner_name: 'SOMEBODY ELSE' }),
      line('4', {}, null),
      line(
        '5, "quoted"',
        {},
        {
          type: 'Polygon',
          coordinates: [
            [
              [-120, 45],
              [-121, 45],
            ],
          ],
        },
      ),
    ].join('\n'),
  )
  const summary = await ingest(file)
  expect(counts(summary)).toEqual({ read: 8, inserted: 3, updated: 0, unchanged: 0, rejected: 5 })
  expect(summary.warnings).toContain(
    'assessed_value: 1 unreadable value left out (line 4: assessed_value is "much": it must be a number)',
  )
  expect(readFileSync(rejectsFile, 'utf8').trimEnd().split('\n')).toEqual([
    'line,reason,source_parcel_id',
    expect.stringMatching(/^2,not JSON/),
    '3,source_parcel_id is missing,',
    '5,"its geometry is a LineString: a parcel is a Polygon, a MultiPolygon or a Point",3',
    '6,duplicate of line 1,1',
    '8,"outer ring: 3 positions, but a closed ring needs at least 4","5, ""quoted"""',
  ])
  expect([
    ...(await sql`select source_parcel_id, owner_name, assessed_value, acreage, geom->>'type' as type, bbox::text as bbox from parcels order by 1`),
  ]).toEqual([
    {
      source_parcel_id: '1',
      owner_name: 'ADA ELM',
      assessed_value: '1235',
      acreage: 2,
      type: 'MultiPolygon',
      bbox: '(-119.99,45.01),(-120,45)',
    },
    {
      source_parcel_id: '2',
      owner_name: null,
      assessed_value: null,
      acreage: null,
      type: 'MultiPolygon',
      bbox: '(-119.99,45.01),(-120,45)',
    },
    { source_parcel_id: '4', owner_name: null, assessed_value: null, acreage: null, type: null, bbox: null },
  ])
})

test('a second run of the same file writes nothing; a changed file writes only the changes', async () => {
  const lines = Array.from({ length: 2500 }, (_, index) =>
    line(`P${index}`, { owner_name: `OWNER ${index}` }, square(-120 + index / 100)),
  )
  const file = writeFixture('again.geojsonl.gz', gzipSync([...lines, line('P7')].join('\n')))
  expect(counts(await ingest(file))).toEqual({ read: 2501, inserted: 2500, updated: 0, unchanged: 0, rejected: 1 })
  const stored = await sql`select *, xmin::text, xmax::text, ctid::text from parcels order by id`
  await sql`delete from search_outbox`
  expect(counts(await ingest(file))).toEqual({ read: 2501, inserted: 0, updated: 0, unchanged: 2500, rejected: 1 })
  expect([...(await sql`select *, xmin::text, xmax::text, ctid::text from parcels order by id`)]).toEqual([...stored])
  expect(await sql`select * from search_outbox`).toHaveLength(0)
  lines[3] = line('P3', { owner_name: 'BO BIRCH' }, square(-119.97))
  expect(counts(await ingest(writeFixture('changed.geojsonl', lines.join('\n'))))).toEqual({
    read: 2500,
    inserted: 0,
    updated: 1,
    unchanged: 2499,
    rejected: 0,
  })
})

test('a file with other blanks, and with accents as characters of their own, changes nothing', async () => {
  const names = { owner_name: 'PEÑA JOSÉ & ANA', situs_address: '1 ELM ST', owner_names_all: ['PEÑA JOSÉ', 'PEÑA ANA'] }
  const others = {
    owner_name: 'PEÑA\u00a0JOSÉ\u2009& ANA\u00a0'.normalize('NFD'),
    situs_address: '1\u00a0ELM\u3000ST',
    owner_names_all: ['PEÑA\u00a0JOSÉ', 'PEÑA ANA'.normalize('NFD')],
  }
  await ingest(writeFixture('plain.geojsonl', line('1', names)))
  const again = await ingest(writeFixture('other-blanks.geojsonl', line('1', others)))
  expect(counts(again)).toEqual({ read: 1, inserted: 0, updated: 0, unchanged: 1, rejected: 0 })
})

test('a rejects file exists only when there are rejects', async () => {
  await ingest(writeFixture('bad.csv', 'source_parcel_id\n""\n'))
  expect(existsSync(rejectsFile)).toBe(true)
  await ingest(writeFixture('good.csv', 'source_parcel_id\n1\n'))
  expect(existsSync(rejectsFile)).toBe(false)
})

test('a spreadsheet reads no cell of the rejects file as a formula, and negative numbers stay unchanged', async () => {
  const ids = ['=1+1', '+1', '-1+1', '@SUM(A1)', ' =1', '＝1', '-12.5', 'a;=1', 'a"b', '12-34']
  const cells = ids.map((id) => `"${id.replaceAll('"', '""')}"`)
  // Each id appears twice, and the second one is rejected.
  await ingest(writeFixture('formulas.csv', ['source_parcel_id', ...cells, ...cells].join('\n')))
  const rejected = readFileSync(rejectsFile, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.replace(/^\d+,duplicate of line \d+,/, ''))
  expect(rejected).toEqual([
    ...["'=1+1", "'+1", "'-1+1", "'@SUM(A1)", "'=1", "'＝1", '-12.5', '"a;=1"', '"a""b"', '12-34'],
  ])
  const cases: [string, string][] = [
    ['\t=1', `"'\t=1"`],
    ['\r1', `"'\r1"`],
    ['\n@1', `"'\n@1"`],
    ['  -1+1', `'  -1+1`],
    ['-', `'-`],
    ['-1', '-1'],
    ['plain', 'plain'],
    ['', ''],
  ]
  for (const [text, cell] of cases) expect([text, csvCell(text)]).toEqual([text, cell])
})

test('a row with a text beyond its maximum length is rejected, naming column, length and limit; the others are loaded', async () => {
  const owner = 'x'.repeat(501)
  const address = 'y'.repeat(2_000_000)
  const file = writeFixture(
    'long.csv',
    `source_parcel_id,owner_name,situs_address\n1,${owner},\n2,ADA,${address}\n3,${'é'.repeat(500)},1 ELM ST\n`,
  )
  expect(counts(await ingest(file))).toEqual({ read: 3, inserted: 1, updated: 0, unchanged: 0, rejected: 2 })
  expect(readFileSync(rejectsFile, 'utf8').trimEnd().split('\n').slice(1)).toEqual([
    '2,"owner_name has 501 characters, more than 500",1',
    '3,"situs_address has 2,000,000 characters, more than 500",2',
  ])
})

test('with --duplicates number, duplicates get numbered ids, and a second run finds the same ones', async () => {
  const file = writeFixture('twice.csv', 'source_parcel_id,owner_name\nA,1\nA,2\nA~2,3\nA,4\nB,5\n')
  expect(counts(await ingest(file, { duplicates: 'number' }))).toEqual({
    read: 5,
    inserted: 5,
    updated: 0,
    unchanged: 0,
    rejected: 0,
  })
  // A~2 is the id of another row, so it is skipped.
  expect((await sql`select source_parcel_id as id from parcels order by owner_name`).map(({ id }) => id)).toEqual([
    'A',
    'A~3',
    'A~2',
    'A~4',
    'B',
  ])
  expect(counts(await ingest(file, { duplicates: 'number' }))).toEqual({
    read: 5,
    inserted: 0,
    updated: 0,
    unchanged: 5,
    rejected: 0,
  })
})

test('a row can be loaded without its broken geometry, and is still listed in the rejects file', async () => {
  const file = writeFixture(
    'broken.geojsonl',
    `${line('1', {}, { type: 'Polygon', coordinates: [[[1, 1]]] })}\n${line('2')}`,
  )
  const summary = await ingest(file, { brokenGeometry: 'leave-out' })
  expect(counts(summary)).toEqual({ read: 2, inserted: 2, updated: 0, unchanged: 0, rejected: 0 })
  expect(summary.withoutGeometry).toBe(1)
  expect(readFileSync(rejectsFile, 'utf8')).toContain('1,"loaded without its geometry: outer ring: 1 positions')
})

test('a mapped column that a CSV does not have stops the load before it starts; in other formats it is a warning', async () => {
  const csv = writeFixture('columns.csv', 'PIN,Owner\n1,ADA\n')
  await expect(ingest(csv, { fields: 'source_parcel_id=PIN, owner_name=Ownr' })).rejects.toThrow(
    'the file has no column Ownr: it has PIN, Owner. Correct the field map; a preview of the file suggests one',
  )
  await expect(ingest(csv)).rejects.toThrow('the file has no column source_parcel_id')
  const { warnings } = await ingest(writeFixture('columns.geojsonl', line('1')), { fields: 'owner_name=Ownr' })
  expect(warnings).toEqual(['no row has "Ownr": is the field map right?'])
})

test('truncated gzip fails with a clear message, after everything before that is loaded', async () => {
  const lines = Array.from({ length: 3000 }, (_, index) => line(`${index}`, { owner_name: `${Math.random()}` }))
  const whole = gzipSync(lines.join('\n'))
  const file = writeFixture('cut.geojsonl.gz', whole.subarray(0, whole.length - 2000))
  await expect(ingest(file)).rejects.toThrow('the gzip stream is cut off')
  await waitFor(async () => Number((await sql`select count(*) from parcels`)[0]?.count) > 2000)
})

test('a row that only the database refuses is found and rejected without the rest of its batch', async () => {
  const written: number[][] = []
  const refused: [number, string][] = []
  await writeBatch(
    Array.from({ length: 100 }, (_, index) => ({ line: index + 1, item: index + 1 })),
    {
      upsert: async (items) => {
        if (items.includes(42)) await sql`select 1 / 0`
        written.push(items)
        return { inserted: items.length, updated: 0, unchanged: 0 }
      },
      onWritten: () => {},
      onRefused: ({ line }, reason) => refused.push([line, reason]),
      onWaiting: () => {},
      retryForMs: 0,
    },
  )
  expect(refused).toEqual([[42, 'the database refused it: division by zero']])
  expect(written.flat()).toHaveLength(99)
})

/** A connection to the database that can be closed and opened again. */
const openGate = async () => {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address()
  const at = address !== null && typeof address === 'object' ? address.port : 0
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: Object.assign(new URL(url), { port: String(at) }).href, close, open: () => listen(at) }
}

const manyParcels = (name: string) =>
  writeFixture(
    name,
    Array.from({ length: 8000 }, (_, index) => line(`P${index}`, { owner_name: `OWNER ${index}` })).join('\n'),
  )

test('a load waits for a database that goes down, and loses nothing', async () => {
  const gate = await openGate()
  const client = connectDatabase(gate.url, { max: 2 })
  const said: string[] = []
  const running = ingestParcels(client, 'elm', {
    file: manyParcels('away.geojsonl'),
    map: [],
    rejectsFile,
    say: (text) => said.push(text),
  })
  await waitFor(async () => (await sql`select from parcels limit 1`).length > 0)
  await gate.close()
  await waitFor(() => said.length > 0)
  await gate.open()
  const { read, inserted, unchanged, rejected } = await running
  expect([read, inserted + unchanged, rejected]).toEqual([8000, 8000, 0])
  expect((await sql`select count(*)::int as n from parcels`)[0]?.n).toBe(8000)
  expect(said).toContain('the database is unavailable: waiting for it')
  await client.end({ timeout: 1 })
  await gate.close()
})

test('a database that stays down ends the load with a clear message; whole batches stay, and running it again completes it', async () => {
  const gate = await openGate()
  const client = connectDatabase(gate.url, { max: 2 })
  const file = manyParcels('gone.geojsonl')
  const running = ingestParcels(client, 'elm', { file, map: [], rejectsFile, retryForMs: 300 })
  const outcome = running.then(
    () => 'done',
    (error) => `${error.code}: ${error.message}`,
  )
  await waitFor(async () => (await sql`select from parcels limit 1`).length > 0)
  await gate.close()
  expect(await outcome).toMatch(
    /^server_unavailable: the database is unavailable, after 0 s of retries .* to complete it\. .*, and (at least .* are|some may be) stored\. .*loads undo /,
  )
  await client.end({ timeout: 1 })
  // The server finishes the running statement before it notices that the client is gone.
  const isQuiet = async () =>
    (
      await sql`select from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`
    ).length === 0
  await waitFor(isQuiet)
  const written = (await sql`select count(*)::int as n from parcels`)[0]?.n
  expect(written % 1000).toBe(0)
  expect(counts(await ingest(file))).toEqual({
    read: 8000,
    inserted: 8000 - written,
    updated: 0,
    unchanged: written,
    rejected: 0,
  })
})

test('a signal stops a load between batches', async () => {
  const summary = await ingest(manyParcels('stopped.geojsonl'), { signal: AbortSignal.abort() })
  expect(summary.stopped).toBe(true)
  expect(summary.read).toBe(0)
})

test('entities are loaded, updated and rejected in the same way', async () => {
  const load = (name: string, csv: string) =>
    ingestEntities(sql, 'OR', {
      file: writeFixture(name, csv),
      map: parseFieldMap('registry_number=Number, name="Business Name"', ENTITY_FIELDS),
      rejectsFile,
    })
  const csv = 'Number,Business Name,status\n1,ELM LLC,Active\n2,,Active\n1,ELM AGAIN,\n'
  expect(counts(await load('entities.csv', csv))).toEqual({
    read: 3,
    inserted: 1,
    updated: 0,
    unchanged: 0,
    rejected: 2,
  })
  expect(counts(await load('entities.csv', csv))).toEqual({
    read: 3,
    inserted: 0,
    updated: 0,
    unchanged: 1,
    rejected: 2,
  })
  expect(counts(await load('later.csv', csv.replace('Active', 'Inactive')))).toEqual({
    read: 3,
    inserted: 0,
    updated: 1,
    unchanged: 0,
    rejected: 2,
  })
  expect([...(await sql`select jurisdiction, registry_number, name, status from entities`)]).toEqual([
    { jurisdiction: 'OR', registry_number: '1', name: 'ELM LLC', status: 'Inactive' },
  ])
})
