import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { connectDatabase } from '../../core/postgres/database'
import { createRandom } from '../../core/seeded-random'
import { beginLoad } from '../../drizzle/queries/loads/begin-load'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { cancelWork } from '../../drizzle/queries/work/cancel-work'
import { deleteFinishedWork } from '../../drizzle/queries/work/delete-finished-work'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { type IngestOptions, ingestParcels } from '../../src/ingest/ingest'
import { createLoadRunner } from '../../src/work/load-runner'
import { takeWork } from '../../src/work/take-work'
import { readEventStream } from '../http/event-source'
import { ADMIN_KEY, createTestApp, insertCounty } from '../http/test-app'
import { commandOf } from '../runner/programs'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { waitFor } from '../support/servers'
import { inFolder, writeFixture } from './files/write-fixture'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { app, sql, url, call, readKey } = await createTestApp()
const log = pino({ level: 'silent' })
/** Three batches of a load (`BATCH_PARCELS` of drizzle/queries/loads/judge-load.ts). */
const PARCELS = 2_100

/** Runs the queued work on loads, as a worker does. */
const doWork = () => takeWork({ sql, runner: createLoadRunner({ log }), log }, { signal: new AbortController().signal })

/** As if the process that claimed the work of a source had been gone for longer than its lease. */
const expireLease = (source: string) =>
  sql`update work set lease_expires_at = now() - interval '1 ms' where subject = ${source} and status = 'running'`

interface Row {
  id: string
  owner: string
  zoning: string
  /** A geometry that is rejected. */
  isLine?: boolean
}
const rowsOf = (change: (row: Row, index: number) => Row | null = (row) => row) =>
  Array.from({ length: PARCELS }, (_, index) =>
    change({ id: `P${index}`, owner: `OWNER ${index}`, zoning: `R-${index % 9}` }, index),
  ).filter((row) => row !== null)

const toFile = (name: string, rows: Row[]) =>
  writeFixture(
    name,
    rows
      .map(({ id, owner, zoning, isLine }) => {
        const [west, south] = [-120 + Number(id.replaceAll(/\D/g, '')) / 1e4, 45]
        const ring = [
          [west, south],
          [west + 0.00005, south],
          [west + 0.00005, south + 0.00005],
          [west, south + 0.00005],
          [west, south],
        ]
        const properties = { source_parcel_id: id, owner_name: owner, zoning_code: zoning, acreage: 2 }
        const geometry = isLine
          ? { type: 'LineString', coordinates: [[west, south]] }
          : { type: 'Polygon', coordinates: [ring] }
        return JSON.stringify({ type: 'Feature', properties, geometry })
      })
      .join('\n'),
  )

const ingest = (source: string, file: string, options: Partial<IngestOptions> = {}) =>
  ingestParcels(sql, source, {
    ...{ file, map: parseFieldMap('', PARCEL_FIELDS), rejectsFile: inFolder('loads.rejects.csv'), isComplete: true },
    ...options,
  })

/** All fields of the parcels of a source, except when and why they were last written. */
const snapshot = async (source: string) =>
  (
    await sql`
      select (to_jsonb(p) - '{updated_at,cause_id,origin,geom}'::text[]) || jsonb_build_object('geom', geom::text) as parcel
      from parcels p where source = ${source} order by source_parcel_id`
  ).map(({ parcel }) => parcel)

const countChanges = async (source: string) =>
  (await sql`select count(*)::int as n from parcel_changes where source = ${source}`)[0]?.n as number

const loadOf = async (id: string) => (await call(`/v1/loads/${id}`)).body

/** A source with `PARCELS` parcels, and the id of the load that brought them. */
const createSource = async (source: string): Promise<string> => {
  await insertCounty(sql, source)
  const { load, inserted } = await ingest(source, toFile(`${source}.geojsonl`, rowsOf()))
  expect([inserted, load?.status]).toEqual([PARCELS, 'applied'])
  return load?.id ?? ''
}

let first = ''
beforeAll(async () => {
  first = await createSource('elm')
})

test('the first load of a source is applied while it is read, and each change names it', async () => {
  expect(await loadOf(first)).toMatchObject({
    ...{
      id: first,
      source: 'elm',
      kind: 'ingest',
      status: 'applied',
      is_complete: true,
      file: 'elm.geojsonl',
      verdict: null,
    },
    ...{ counts: { read: PARCELS, rejected: 0, inserted: PARCELS, updated: 0, unchanged: 0, retired: 0 } },
    ...{ created_by: 'operator', undo: null },
  })
  expect([
    ...(await sql`select cause, cause_id, count(*)::int as n from parcel_changes where source = 'elm' group by 1, 2`),
  ]).toEqual([{ cause: 'ingest', cause_id: first, n: PARCELS }])
  expect(await sql`select from load_batches`).toHaveLength(0)
})

const placesOf = async (source: string, ids: readonly string[]) =>
  await Promise.all(
    ids.map(async (id) => {
      const { body } = await call(`/v1/parcels/${source}/${id}/provenance`)
      const { line, place } = body.fields.find(({ field }: { field: string }) => field === 'owner_name')
      return [line, place]
    }),
  )

test('the origin of a value is a line of the file, a feature of a format without lines, or a line of one of several files', async () => {
  const rows = [
    ['a', 'ELM'],
    ['b', 'OAK'],
  ]
  const csv = writeFixture('origin.csv', ['source_parcel_id,owner_name', ...rows.map(String)].join('\n'))
  const other = writeFixture('other.csv', 'source_parcel_id,owner_name\nc,FIR\nc,\n')
  const features = rows.map(([id, owner]) => ({
    ...{ type: 'Feature', properties: { source_parcel_id: id, owner_name: owner }, geometry: null },
  }))
  const geojson = writeFixture('origin.geojson', JSON.stringify({ type: 'FeatureCollection', features }))
  for (const source of ['of-lines', 'of-features', 'of-files']) await insertCounty(sql, source)
  await ingest('of-lines', csv)
  await ingest('of-features', geojson)
  const summary = await ingestParcels(sql, 'of-files', {
    ...{ file: [csv, other], map: parseFieldMap('', PARCEL_FIELDS), rejectsFile: inFolder('files.rejects.csv') },
  })
  expect(summary.rejected).toBe(1)
  expect(await placesOf('of-lines', ['a', 'b'])).toEqual([
    [2, null],
    [3, null],
  ])
  expect(await placesOf('of-features', ['a', 'b'])).toEqual([
    [1, 'feature 1'],
    [2, 'feature 2'],
  ])
  expect(await placesOf('of-files', ['a', 'c'])).toEqual([
    [2, 'origin.csv, line 2'],
    [5, 'other.csv, line 2'],
  ])
  expect(await Bun.file(inFolder('files.rejects.csv')).text()).toContain(
    '"other.csv, line 3","duplicate of other.csv, line 2",c',
  )
  const changes = await call('/v1/changes?source=of-features')
  expect(changes.body.changes.map(({ origin }: { origin: object }) => origin)).toEqual([
    { line: 1, place: 'feature 1' },
    { line: 2, place: 'feature 2' },
  ])
})

test('the work of a load shows its progress, and all of its records at the end', async () => {
  const progressOf = async (id: string) =>
    (await sql<{ done: number; total: number }[]>`select done::int, total::int from work where id = ${id}`)[0]
  expect(await progressOf(first)).toEqual({ done: PARCELS, total: PARCELS })
  const { load } = await ingest('elm', toFile('again.geojsonl', rowsOf()))
  expect(await progressOf(load?.id ?? '')).toEqual({ done: PARCELS, total: PARCELS })
})

test('the first load of a source whose parcels are all retired restores those that it lists', async () => {
  await insertCounty(sql, 'alder')
  const retired = rowsOf((row, index) => (index < 10 ? row : null)).map(({ id }) => ({ sourceParcelId: id }))
  await upsertParcels(sql, 'alder', [...retired, { sourceParcelId: 'GONE' }])
  await sql`update parcels set retired_at = now() where source = 'alder'`
  const { inserted, updated, load } = await ingest('alder', toFile('alder.geojsonl', rowsOf()))
  expect([inserted, updated, load?.status]).toEqual([PARCELS - 10, 10, 'applied'])
  const [count] = await sql`
    select count(*) filter (where retired_at is null)::int as listed, count(*) filter (where retired_at is not null)::int as retired
    from parcels where source = 'alder'`
  expect(count).toEqual({ listed: PARCELS, retired: 1 })
})

test('loading the same file again writes nothing', async () => {
  const before = await sql`select xmin::text, ctid::text from parcels where source = 'elm' order by id`
  const { unchanged, load } = await ingest('elm', toFile('same.geojsonl', rowsOf()))
  expect([unchanged, load?.status, load?.counts.retired]).toEqual([PARCELS, 'applied', 0])
  expect([...(await sql`select xmin::text, ctid::text from parcels where source = 'elm' order by id`)]).toEqual([
    ...before,
  ])
  expect(await countChanges('elm')).toBe(PARCELS)
})

const HALF = rowsOf((row, index) => (index % 2 === 0 ? row : null))
const CASES: [what: string, rows: Row[], check: object][] = [
  ['a complete load cut to half', HALF, { check: 'retired', field: null, count: PARCELS / 2, share: 0.5, limit: 0.05 }],
  [
    'a load that rewrites 2,100 owners',
    rowsOf((row) => ({ ...row, owner: 'SOMEBODY ELSE' })),
    { check: 'owner', field: 'owner_name', count: PARCELS, share: 1, limit: 0.2 },
  ],
  [
    'a load without zoning',
    rowsOf((row) => ({ ...row, zoning: '' })),
    { check: 'emptied', field: 'zoning_code', count: PARCELS, share: 1, limit: 0.05 },
  ],
]

test.each(CASES)(
  '%s is held and reported, changes no parcel until it is applied, and an undo restores every parcel',
  async (what, rows, check) => {
    const source = `case-${CASES.findIndex(([name]) => name === what)}`
    await createSource(source)
    const before = await snapshot(source)
    const stream = await app.handle(
      new Request('http://localhost/v1/events?types=load', { headers: { 'x-service-key': ADMIN_KEY } }),
    )
    const { events, cancel } = await readEventStream(stream.body as ReadableStream)
    const { load } = await ingest(source, toFile(`${source}-2.geojsonl`, rows))
    expect(load?.status).toBe('held')
    expect(await snapshot(source)).toEqual(before)
    expect(await countChanges(source)).toBe(PARCELS)
    const held = await loadOf(load?.id ?? '')
    expect(held.verdict.checks).toEqual([{ ...check, is_over: true, examples: expect.any(Array) }])
    expect(held.verdict.checks[0].examples).toHaveLength(5)
    expect((await call(`/v1/loads?status=held&source=${source}`)).body).toMatchObject({ count: 1, loads: [held] })

    const applied = await call(`/v1/loads/${held.id}/apply`, { method: 'POST' })
    expect(applied.status).toBe(202)
    expect(await doWork()).toBe(true)
    expect(await loadOf(held.id)).toMatchObject({ status: 'applied', note: 'applied by test-adm', counts: held.counts })
    expect(await snapshot(source)).not.toEqual(before)
    expect(await sql`select from load_batches where load_id = ${held.id}`).toHaveLength(0)

    const { body } = await call(`/v1/loads/${held.id}/undo`, { method: 'POST' })
    expect(await doWork()).toBe(true)
    const changed = held.counts.updated + held.counts.retired
    const undone = { restored: changed, retired: 0, kept: 0, kept_first: [] }
    expect(await loadOf(held.id)).toMatchObject({ status: 'undone', undo: undone })
    expect((await call(`/v1/work/${body.work_id}`)).body).toMatchObject({
      status: 'done',
      result: { status: 'undone', ...undone },
    })
    expect(await snapshot(source)).toEqual(before)
    await waitFor(() => events.some(({ data }) => data.status === 'undone'))
    await cancel()
    expect(events.filter(({ data }) => data.id === held.id).map(({ data }) => data.status)).toEqual([
      'held',
      'applied',
      'undone',
    ])
  },
)

test('a few missing parcels are retired without being held, and return with the next load', async () => {
  await createSource('birch')
  const before = await snapshot('birch')
  const { load, retired } = await ingest(
    'birch',
    toFile(
      'birch-2.geojsonl',
      rowsOf((row, index) => (index < 100 ? null : row)),
    ),
  )
  expect([load?.status, retired]).toEqual(['applied', 100])
  expect(await sql`select from parcels where source = 'birch' and retired_at is not null`).toHaveLength(100)
  const { updated, unchanged } = await ingest('birch', toFile('birch-3.geojsonl', rowsOf()))
  expect([updated, unchanged]).toEqual([100, PARCELS - 100])
  expect(await snapshot('birch')).toEqual(before)
})

test('a load that is not complete retires nothing, and a rejected record counts as listed', async () => {
  await createSource('oak')
  const part = rowsOf((row, index) => (index < 10 ? row : null))
  expect((await ingest('oak', toFile('oak-2.geojsonl', part), { isComplete: false })).retired).toBe(0)
  const bad = rowsOf((row, index) => (index === 0 ? { ...row, isLine: true } : index === 1 ? null : row))
  expect(await ingest('oak', toFile('oak-3.geojsonl', bad))).toMatchObject({ rejected: 1, retired: 1 })
  expect((await sql`select source_parcel_id from parcels where source = 'oak' and retired_at is not null`)[0]).toEqual({
    source_parcel_id: 'P1',
  })
})

test('records that only the database refuses are rejected without the rest of their batches', async () => {
  await createSource('sumac')
  await sql`alter table parcels add constraint refused check (source <> 'sumac' or zoning_code is distinct from 'REFUSED')`
  const refused = ['P7', 'P1200', 'P2099']
  const rows = rowsOf((row) => ({ ...row, zoning: refused.includes(row.id) ? 'REFUSED' : `${row.zoning}-NEW` }))
  const { load } = await ingest('sumac', toFile('sumac-2.geojsonl', rows))
  expect(load).toMatchObject({ status: 'applied', counts: { updated: PARCELS - 3, unchanged: 0, retired: 0 } })
  const rejects = await sql`select what, reason from work_rejects where work_id = ${load?.id ?? ''} order by what`
  expect(rejects.map(({ what }) => what)).toEqual(refused.toSorted())
  expect(rejects[0]?.reason).toStartWith('the database refused it: new row for relation')
  const kept =
    await sql`select source_parcel_id as id from parcels where source = 'sumac' and zoning_code not like '%-NEW'`
  expect(kept.map(({ id }) => id).toSorted()).toEqual(refused.toSorted())
})

test('limits of the source replace the default ones, and a source with few parcels has none', async () => {
  await createSource('fir')
  // A load may change as much as the limit, and not more.
  for (const [limit, status] of [
    [0.499, 'held'],
    [0.5, 'applied'],
  ] as const) {
    await sql`update sources set load_limits = ${JSON.stringify({ retired: limit })}::text::jsonb where source = 'fir'`
    expect((await ingest('fir', toFile('fir-2.geojsonl', HALF))).load?.status).toBe(status)
  }
  await insertCounty(sql, 'small')
  await ingest('small', toFile('small.geojsonl', rowsOf().slice(0, 19)))
  expect((await ingest('small', toFile('small-2.geojsonl', rowsOf().slice(0, 1)))).retired).toBe(18)
})

test('a held load is discarded by an admin, or by a newer load', async () => {
  await createSource('ash')
  const before = await snapshot('ash')
  const said: string[] = []
  const say = (line: string) => said.push(line)
  const hold = async (name: string) => (await ingest('ash', toFile(name, HALF), { say })).load?.id ?? ''
  const [one, two] = [await hold('ash-2.geojsonl'), await hold('ash-3.geojsonl')]
  expect(said).toEqual([`this replaced the held load ${one}, which is discarded`])
  expect(await loadOf(one)).toMatchObject({ status: 'discarded', note: `load ${two} is newer` })
  expect((await call(`/v1/loads/${one}/apply`, { method: 'POST' })).status).toBe(409)
  expect((await call(`/v1/loads/${two}/discard`, { method: 'POST' })).body).toMatchObject({
    status: 'discarded',
    note: 'discarded by test-adm',
  })
  expect((await call(`/v1/loads/${two}/undo`, { method: 'POST' })).status).toBe(409)
  expect(await sql`select from load_batches where load_id in (${one}, ${two})`).toHaveLength(0)
  expect(await snapshot('ash')).toEqual(before)
})

test('an undo keeps and names fields with a newer change, and retires parcels that the load created', async () => {
  await createSource('yew')
  const rows = rowsOf((row, index) => (index < 3 ? { ...row, owner: `NEW ${index}`, zoning: 'C-1' } : row))
  const added = [...rows, { id: 'NEW-1', owner: 'A', zoning: 'B' }, { id: 'NEW-2', owner: 'A', zoning: 'B' }]
  const { load } = await ingest('yew', toFile('yew-2.geojsonl', added))
  expect(load?.status).toBe('applied')
  const job = crypto.randomUUID()
  await upsertParcels(
    sql,
    'yew',
    [
      { sourceParcelId: 'P1', ownerName: 'NEWEST' },
      { sourceParcelId: 'NEW-2', acreage: 7 },
    ],
    {
      ...{ cause: 'scrape', id: job },
    },
  )
  await call(`/v1/loads/${load?.id}/undo`, { method: 'POST' })
  await doWork()
  expect((await loadOf(load?.id ?? '')).undo).toEqual({
    ...{ restored: 3, retired: 1, kept: 2 },
    kept_first: [
      { source_parcel_id: 'NEW-2', fields: ['created'] },
      { source_parcel_id: 'P1', fields: ['owner_name', 'owner_names_all'] },
    ],
  })
  const stored = await sql`
    select source_parcel_id as id, owner_name as owner, zoning_code as zoning, retired_at is not null as retired from parcels
    where source = 'yew' and source_parcel_id in ('P0', 'P1', 'NEW-1', 'NEW-2') order by 1`
  expect([...stored]).toEqual([
    { id: 'NEW-1', owner: 'A', zoning: 'B', retired: true },
    { id: 'NEW-2', owner: 'A', zoning: 'B', retired: false },
    { id: 'P0', owner: 'OWNER 0', zoning: 'R-0', retired: false },
    { id: 'P1', owner: 'NEWEST', zoning: 'R-1', retired: false },
  ])
  // The job is undone in the same way. Its former value is from the load, which was undone.
  expect((await call(`/v1/loads/${job}/undo`, { method: 'POST' })).status).toBe(202)
  await doWork()
  expect(
    (await sql`select owner_name from parcels where source = 'yew' and source_parcel_id = 'P1'`)[0]?.owner_name,
  ).toBe('OWNER 1')
})

test('loads that are undone from the newest to the oldest leave nothing of any of them', async () => {
  await createSource('hazel')
  const before = await snapshot('hazel')
  const added = { id: 'NEW-1', owner: 'A', zoning: 'B' }
  const loads = ['1ST', '2ND', '3RD'].map((owner) => [
    ...rowsOf((row, index) => (index < 3 ? { ...row, owner: `${owner} ${index}` } : row)),
    { ...added, owner },
  ])
  // The last load retires parcels that the first one changed and created.
  loads.push(rowsOf((row, index) => (index === 0 ? null : row)))
  const ids: string[] = []
  for (const [index, rows] of loads.entries()) {
    const { load } = await ingest('hazel', toFile(`hazel-${index}.geojsonl`, rows))
    expect(load?.status).toBe('applied')
    ids.push(load?.id ?? '')
  }
  for (const id of ids.toReversed()) {
    await call(`/v1/loads/${id}/undo`, { method: 'POST' })
    await doWork()
    expect((await loadOf(id)).undo).toMatchObject({ kept: 0 })
  }
  expect((await snapshot('hazel')).filter(({ source_parcel_id }) => source_parcel_id !== added.id)).toEqual(before)
  expect(await sql`select from parcels where source = 'hazel' and retired_at is not null`).toHaveLength(1)
})

test('a parcel that a load listed again has its successors again when that load is undone', async () => {
  await insertCounty(sql, 'sorb')
  const rows = (...ids: string[]) => ids.map((id) => ({ id, owner: 'ADA', zoning: 'R-1' }))
  const linksOf = async (id: string) => {
    const { successors, predecessors } = (await call(`/v1/parcels/sorb/${id}`)).body
    return [successors, predecessors].map((links) => links.map((link: { path: string }) => link.path))
  }
  const linked = async () => [await linksOf('A1'), await linksOf('B1')]
  await ingest('sorb', toFile('sorb-1.geojsonl', rows('A1', 'A2')))
  await ingest('sorb', toFile('sorb-2.geojsonl', rows('B1', 'A2')))
  const replaced = [
    [['/v1/parcels/sorb/B1'], []],
    [[], ['/v1/parcels/sorb/A1']],
  ]
  expect(await linked()).toEqual(replaced)
  // The list of the year before is loaded by mistake.
  const { load } = await ingest('sorb', toFile('sorb-3.geojsonl', rows('A1', 'A2')))
  expect(await linked()).toEqual([
    [[], ['/v1/parcels/sorb/B1']],
    [['/v1/parcels/sorb/A1'], []],
  ])
  await call(`/v1/loads/${load?.id}/undo`, { method: 'POST' })
  await doWork()
  expect(await linked()).toEqual(replaced)
})

test('loads that are undone from the oldest to the newest leave nothing of any of them', async () => {
  await createSource('medlar')
  const before = await snapshot('medlar')
  const added = { id: 'NEW-1', owner: 'A', zoning: 'B' }
  const owned = (owner: string) => rowsOf((row, index) => (index < 3 ? { ...row, owner } : row))
  // The second load lists the parcel that the first one retired.
  const loads = [
    [...owned('1ST').slice(1), added],
    owned('2ND').concat({ ...added, owner: '2ND' }),
    owned('3RD').concat(added),
  ]
  const ids: string[] = []
  for (const [index, rows] of loads.entries()) {
    ids.push((await ingest('medlar', toFile(`medlar-${index}.geojsonl`, rows))).load?.id ?? '')
  }
  const undone: object[] = []
  for (const id of ids) {
    await call(`/v1/loads/${id}/undo`, { method: 'POST' })
    await doWork()
    undone.push((await loadOf(id)).undo)
  }
  expect(undone).toMatchObject([
    { restored: 0, retired: 0, kept: 4 },
    { restored: 0, retired: 0, kept: 4 },
    { restored: 3, retired: 1, kept: 0 },
  ])
  expect((await snapshot('medlar')).filter(({ source_parcel_id }) => source_parcel_id !== added.id)).toEqual(before)
  const retired = await sql`select source_parcel_id from parcels where source = 'medlar' and retired_at is not null`
  expect(retired.map(({ source_parcel_id }) => source_parcel_id)).toEqual([added.id])
})

test('a held load that was compared before an undo is not applied, because it left out what the undo changed', async () => {
  await createSource('aspen')
  const added = { id: 'NEW-1', owner: 'A', zoning: 'B' }
  const { load } = await ingest('aspen', toFile('aspen-2.geojsonl', [...rowsOf(), added]))
  const held = (await ingest('aspen', toFile('aspen-3.geojsonl', [...HALF, added]))).load
  expect(await loadOf(held?.id ?? '')).toMatchObject({ status: 'held', can_apply: true })
  await call(`/v1/loads/${load?.id}/undo`, { method: 'POST' })
  await doWork()
  expect(await loadOf(held?.id ?? '')).toMatchObject({ status: 'held', can_apply: false })
  expect(await call(`/v1/loads/${held?.id}/apply`, { method: 'POST' })).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('load its file again') },
  })
  expect((await call(`/v1/loads/${held?.id}/discard`, { method: 'POST' })).status).toBe(200)
})

test('an undo keeps a value that a newer load brought again after a change that was undone', async () => {
  await insertCounty(sql, 'sorrel')
  const load = async (name: string, owner: string) => {
    const rows = rowsOf((row, index) => (index === 0 ? { ...row, owner } : row)).slice(0, 10)
    return (await ingest('sorrel', toFile(`sorrel-${name}.geojsonl`, rows))).load?.id
  }
  await load('1', 'FIRST')
  const second = await load('2', 'SECOND')
  const third = await load('3', 'THIRD')
  await call(`/v1/loads/${third}/undo`, { method: 'POST' })
  await doWork()
  await load('4', 'FOURTH')
  await load('5', 'SECOND')
  await call(`/v1/loads/${second}/undo`, { method: 'POST' })
  await doWork()
  expect((await loadOf(second ?? '')).undo).toMatchObject({ restored: 0, kept: 1 })
  const [stored] = await sql`select owner_name from parcels where source = 'sorrel' and source_parcel_id = 'P0'`
  expect(stored?.owner_name).toBe('SECOND')
})

test('an undo never restores a value of a load that was undone, even after old work was deleted', async () => {
  await insertCounty(sql, 'yarrow')
  const load = async (owner: string) => {
    const rows = rowsOf((row, index) => (index > 0 ? row : { ...row, owner })).slice(0, 10)
    return (await ingest('yarrow', toFile(`yarrow-${owner}.geojsonl`, rows))).load?.id ?? ''
  }
  await load('FIRST')
  const second = await load('SECOND')
  const third = await load('THIRD')
  for (const id of [second, third]) {
    await call(`/v1/loads/${id}/undo`, { method: 'POST' })
    await doWork()
    await deleteFinishedWork(sql, { days: 0, limit: 1_000, keptKinds: [] })
  }
  const [stored] = await sql`select owner_name from parcels where source = 'yarrow' and source_parcel_id = 'P0'`
  expect(stored?.owner_name).toBe('FIRST')
})

test('an undo of an undo brings back what the load had changed, created and retired', async () => {
  await insertCounty(sql, 'tansy')
  const rows = rowsOf().slice(0, 10)
  await ingest('tansy', toFile('tansy-1.geojsonl', rows))
  const changed = rows.slice(1).map((row, index) => (index === 0 ? { ...row, owner: 'NEW' } : row))
  const { load } = await ingest(
    'tansy',
    toFile('tansy-2.geojsonl', [...changed, { id: 'P99', owner: 'A', zoning: 'B' }]),
  )
  const stateOf = async () =>
    sql`select source_parcel_id, owner_name, retired_at from parcels where source = 'tansy' order by 1`
  const loaded = [...(await stateOf())]
  const { body } = await call(`/v1/loads/${load?.id}/undo`, { method: 'POST' })
  await doWork()
  expect([...(await stateOf())]).not.toEqual(loaded)
  await call(`/v1/loads/${body.work_id}/undo`, { method: 'POST' })
  await doWork()
  expect([...(await stateOf())]).toEqual(loaded)
})

test('a load whose undo was undone is applied again: with its links and its date, and it can be undone again', async () => {
  await insertCounty(sql, 'tarragon')
  const rows = rowsOf().slice(0, 10)
  await ingest('tarragon', toFile('tarragon-1.geojsonl', rows), { asOf: '2026-01-31' })
  const replaced = rows.map((row, index) => (index === 0 ? { ...row, id: 'Q0' } : row))
  const { load } = await ingest('tarragon', toFile('tarragon-2.geojsonl', replaced), { asOf: '2026-11-01' })
  const id = load?.id ?? ''
  const undo = async (causeId: string): Promise<string> => {
    const { body } = await call(`/v1/loads/${causeId}/undo`, { method: 'POST' })
    await doWork()
    return body.work_id
  }
  const stateOf = async () => {
    const { status, undo: undone, ended_at } = await loadOf(id)
    const { body } = await call('/v1/parcels/tarragon/P0')
    const [source] = await sql`select last_known_data_as_of as known from sources where source = 'tarragon'`
    return [status, undone, ended_at, body.successors.length, source?.known]
  }
  const applied = ['applied', null, null, 1, '2026-11-01']
  const undone = ['undone', expect.anything(), expect.any(String), 0, '2026-01-31']
  expect(await stateOf()).toEqual(applied)
  const firstUndo = await undo(id)
  expect(await stateOf()).toEqual(undone)
  const redo = await undo(firstUndo)
  expect(await stateOf()).toEqual(applied)
  expect(await call(`/v1/loads/${firstUndo}/undo`, { method: 'POST' })).toMatchObject({
    status: 409,
    body: { error: 'it is undone already: to bring its changes back, undo the work of that undo' },
  })
  await undo(redo)
  expect(await stateOf()).toEqual(undone)
  await undo(firstUndo)
  expect(await stateOf()).toEqual(applied)
  await undo(id)
  expect(await stateOf()).toEqual(undone)
})

test('a load that was applied only in part has failed again when its undo is undone', async () => {
  await insertCounty(sql, 'teasel')
  await ingest('teasel', toFile('teasel-1.geojsonl', rowsOf().slice(0, 10)), { asOf: '2026-01-31' })
  const renamed = rowsOf()
    .slice(0, 10)
    .map((row) => ({ ...row, owner: 'NEW' }))
  const { load } = await ingest('teasel', toFile('teasel-2.geojsonl', renamed), { asOf: '2026-11-01' })
  const id = load?.id ?? ''
  // As a load is that failed after its first batch.
  await sql`update loads set status = 'failed', applied_at = null, ended_at = now() where id = ${id}`
  await sql`update sources set last_known_data_as_of = '2026-01-31' where source = 'teasel'`
  const undone = await call(`/v1/loads/${id}/undo`, { method: 'POST' })
  await doWork()
  expect(await loadOf(id)).toMatchObject({ status: 'undone' })
  await call(`/v1/loads/${undone.body.work_id}/undo`, { method: 'POST' })
  await doWork()
  expect(await loadOf(id)).toMatchObject({ status: 'failed', undo: null, ended_at: expect.any(String) })
  const parcels = sql`select distinct owner_name from parcels where source = 'teasel'`
  const sources = sql`select last_known_data_as_of as known from sources where source = 'teasel'`
  expect([[...(await parcels)], [...(await sources)]]).toEqual([[{ owner_name: 'NEW' }], [{ known: '2026-01-31' }]])
})

test('a value that a newer load set again stays, also when an undo brought it back', async () => {
  await insertCounty(sql, 'chervil')
  const load = async (owner: string) => {
    const rows = rowsOf((row, index) => (index > 0 ? row : { ...row, owner })).slice(0, 10)
    return (await ingest('chervil', toFile(`chervil-${owner}.geojsonl`, rows))).load?.id ?? ''
  }
  await load('FIRST')
  const second = await load('SECOND')
  await load('THIRD')
  await load('SECOND')
  const last = await load('LAST')
  for (const id of [last, second]) {
    await call(`/v1/loads/${id}/undo`, { method: 'POST' })
    await doWork()
  }
  expect((await loadOf(second)).undo).toMatchObject({ restored: 0, kept: 1 })
  const [stored] = await sql`select owner_name from parcels where source = 'chervil' and source_parcel_id = 'P0'`
  expect(stored?.owner_name).toBe('SECOND')
})

test('a load that was undone, brought back and undone again leaves none of its values', async () => {
  await insertCounty(sql, 'fennel')
  const load = async (owner: string, count: number) => {
    const rows = rowsOf((row, index) => (index < 2 ? { ...row, owner } : row)).slice(0, count)
    return (await ingest('fennel', toFile(`fennel-${owner}.geojsonl`, rows), { isComplete: false })).load?.id ?? ''
  }
  const undo = async (causeId: string): Promise<string> => {
    const { body } = await call(`/v1/loads/${causeId}/undo`, { method: 'POST' })
    await doWork()
    return body.work_id
  }
  await load('FIRST', 10)
  const second = await load('SECOND', 2)
  const third = await load('THIRD', 1)
  await undo(await undo(await undo(second)))
  await undo(third)
  const stored = await sql`select owner_name from parcels where source = 'fennel' order by source_parcel_id limit 2`
  expect(stored.map(({ owner_name }) => owner_name)).toEqual(['FIRST', 'FIRST'])
})

test('loads whose changes cancelled each other out leave nothing of an earlier load when all are undone', async () => {
  await insertCounty(sql, 'lovage')
  const load = async (name: string, owner: string | null) => {
    const rows = rowsOf((row, index) => (index > 0 ? row : owner === null ? null : { ...row, owner })).slice(0, 10)
    return (await ingest('lovage', toFile(`lovage-${name}.geojsonl`, rows))).load?.id
  }
  await load('1', 'FIRST')
  const second = await load('2', 'SECOND')
  const third = await load('3', null)
  const fourth = await load('4', 'FOURTH')
  const fifth = await load('5', 'SECOND')
  // Undoing the fifth load and the one before it writes nothing: their values are those of the second.
  for (const id of [third, fourth, fifth, second]) {
    await call(`/v1/loads/${id}/undo`, { method: 'POST' })
    await doWork()
  }
  expect((await loadOf(second ?? '')).undo).toMatchObject({ restored: 1, kept: 0 })
  const [stored] = await sql`select owner_name from parcels where source = 'lovage' and source_parcel_id = 'P0'`
  expect(stored?.owner_name).toBe('FIRST')
})

test('an earlier undo of the same load is not undone twice, and one that restored nothing can be undone', async () => {
  await insertCounty(sql, 'savory')
  const load = async (owner: string) => {
    const rows = rowsOf((row, index) => (index > 0 ? row : { ...row, owner })).slice(0, 10)
    return (await ingest('savory', toFile(`savory-${owner}.geojsonl`, rows))).load?.id ?? ''
  }
  const undo = async (causeId: string): Promise<{ status: number; work: string }> => {
    const { status, body } = await call(`/v1/loads/${causeId}/undo`, { method: 'POST' })
    await doWork()
    return { status, work: body.work_id }
  }
  const ownerNow = async () =>
    (await sql`select owner_name from parcels where source = 'savory' and source_parcel_id = 'P0'`)[0]?.owner_name
  await load('FIRST')
  const second = await load('SECOND')
  const third = await load('THIRD')
  const kept = await undo(second)
  expect((await loadOf(second)).undo).toMatchObject({ restored: 0, kept: 1 })
  await undo(third)
  expect(await ownerNow()).toBe('FIRST')
  const redo = await undo(kept.work)
  expect([redo.status, (await loadOf(second)).status, await ownerNow()]).toEqual([202, 'applied', 'SECOND'])
  await undo(second)
  expect(await ownerNow()).toBe('FIRST')
  // It would take the load back, which is undone.
  expect((await undo(redo.work)).status).toBe(409)
  // The first undo was undone, but the load is undone now.
  expect((await undo(kept.work)).status).toBe(202)
  expect([(await loadOf(second)).status, await ownerNow()]).toEqual(['applied', 'SECOND'])
})

for (const seed of [3, 5, 7])
  test(`after any loads, undos and undos of undos, each field has its last value that is not undone (seed ${seed})`, async () => {
    const source = `rue-${seed}`
    await insertCounty(sql, source)
    const random = createRandom(seed)
    const pick = <Choice>(choices: readonly Choice[]) => choices[Math.floor(random() * choices.length)] as Choice
    /** Loads and undos, with what they undo. */
    const causes: { id: string; root: string; undoes: boolean }[] = []
    const undone = new Set<string>()

    const load = async () => {
      const rows = ['P1', 'P2', 'P3', 'P4', 'P5']
        .filter(() => random() < 0.7)
        .map((id) => ({ id, owner: pick(['A', 'B', 'C', '']), zoning: pick(['R-1', 'C-1']) }))
      const { load } = await ingest(source, toFile(`${source}.geojsonl`, rows), { isComplete: random() < 0.5 })
      if (load !== null) causes.push({ id: load.id, root: load.id, undoes: true })
    }
    const undo = async () => {
      const { id, root, undoes } = pick(causes)
      const { status, body } = await call(`/v1/loads/${id}/undo`, { method: 'POST' })
      expect({ step: causes.length, status }).toEqual({
        step: causes.length,
        status: undone.has(root) === undoes ? 409 : 202,
      })
      if (status !== 202) return
      await doWork()
      if (undoes) undone.add(root)
      else undone.delete(root)
      causes.push({ id: body.work_id, root, undoes: !undoes })
    }
    /** The parcels that are listed, according to the changes that are not undone. */
    const expected = async () => {
      const log = await sql`
        select source_parcel_id as id, action, changes from parcel_changes
        where source = ${source} and cause <> 'undo' and cause_id <> all(${[...undone]}::uuid[]) order by version`
      const firsts = await sql`
        select distinct on (source_parcel_id, key) source_parcel_id as id, key, value -> 0 as former
        from parcel_changes, jsonb_each(changes) where source = ${source} order by source_parcel_id, key, version`
      return Object.fromEntries(
        [...Map.groupBy(log, ({ id }) => id as string)]
          .filter(([, changes]) => changes.at(-1)?.action !== 'retired')
          .map(([parcel, changes]) => {
            const values = firsts.filter(({ id }) => id === parcel).map(({ key, former }) => [key, former])
            for (const change of changes)
              for (const [field, [, value]] of Object.entries<unknown[]>(change.changes)) values.push([field, value])
            const { owner_name, zoning_code } = Object.fromEntries(values)
            return [parcel, { ...(owner_name !== undefined && { owner_name }), ...(zoning_code && { zoning_code }) }]
          }),
      )
    }

    await load()
    for (let step = 0; step < 14; step++) {
      await (random() < 0.4 ? load() : undo())
      const stored = await sql`
        select source_parcel_id as id, owner_name, zoning_code from parcels where source = ${source} and retired_at is null`
      const parcels = Object.fromEntries(stored.map(({ id, ...fields }) => [id, fields]))
      const wanted = await expected()
      expect(Object.keys(parcels).toSorted()).toEqual(Object.keys(wanted).toSorted())
      expect(parcels).toMatchObject(wanted)
    }
  })

test('a complete file that is applied counts as a full read of its source', async () => {
  const readAt = async () =>
    (await sql<{ at: Date | null }[]>`select last_full_scrape_at as at from sources where source = 'sloe'`)[0]?.at
  await insertCounty(sql, 'sloe')
  await ingest('sloe', toFile('sloe-1.geojsonl', rowsOf().slice(0, 10)), { isComplete: false })
  expect(await readAt()).toBeNull()
  await ingest('sloe', toFile('sloe-2.geojsonl', rowsOf().slice(0, 40)))
  const first = await readAt()
  expect(first).toBeDate()
  const held = await ingest('sloe', toFile('sloe-3.geojsonl', rowsOf().slice(0, 20)))
  expect([held.load?.status, await readAt()]).toEqual(['held', first])
  await call(`/v1/loads/${held.load?.id}/discard`, { method: 'POST' })
})

test('an undo sets the date of the data back to that of the data that is left', async () => {
  const known = async () =>
    (await sql`select last_known_data_as_of as known from sources where source = 'plum'`)[0]?.known
  const undo = async (id: string | undefined) => {
    await call(`/v1/loads/${id}/undo`, { method: 'POST' })
    await doWork()
  }
  await insertCounty(sql, 'plum')
  const rows = rowsOf().slice(0, 10)
  const first = await ingest('plum', toFile('plum-1.geojsonl', rows), { asOf: '2026-01-31' })
  const changed = rows.map((row) => ({ ...row, zoning: 'C-1' }))
  const second = await ingest('plum', toFile('plum-2.geojsonl', changed), { asOf: '2026-11-01' })
  expect(await known()).toBe('2026-11-01')
  await undo(second.load?.id)
  expect(await known()).toBe('2026-01-31')
  await undo(first.load?.id)
  expect(await known()).toBeNull()
})

test('a load of older data than the source has warns that it replaces newer values', async () => {
  await insertCounty(sql, 'haw')
  const rows = rowsOf().slice(0, 10)
  const load = async (asOf: string | null) =>
    (await ingest('haw', toFile('haw.geojsonl', rows), { asOf })).warnings.filter((text) => text.includes('older'))
  expect(await load('2025-01-01')).toEqual([])
  expect(await load('2025-01-01')).toEqual([])
  expect(await load(null)).toEqual([])
  expect(await load('2019-01-01')).toEqual([
    'the data is of 2019-01-01, but haw has data of 2025-01-01: older values replace newer ones',
  ])
})

test('an undo counts parcels that it retires again as retired', async () => {
  await insertCounty(sql, 'pear')
  const rows = rowsOf().slice(0, 10)
  await ingest('pear', toFile('pear-1.geojsonl', rows))
  const file = toFile('pear-2.geojsonl', [
    ...rows.map((row, index) => (index < 7 ? { ...row, zoning: 'C-1' } : row)),
    { id: 'NEW-1', owner: 'A', zoning: 'B' },
  ])
  for (const _ of ['the load creates the parcel', 'the load restores it']) {
    const { load } = await ingest('pear', file)
    await call(`/v1/loads/${load?.id}/undo`, { method: 'POST' })
    await doWork()
    expect((await loadOf(load?.id ?? '')).undo).toMatchObject({ restored: 7, retired: 1 })
  }
})

test('a load that failed while it was applied is applied again, but not after a newer load', async () => {
  await createSource('larch')
  const owned = (owner: string, many: number) => rowsOf((row, index) => (index < many ? { ...row, owner } : row))
  const hold = async (name: string, owner: string) =>
    (await ingest('larch', toFile(name, owned(owner, 1_000)))).load?.id
  const apply = (id: unknown) => call(`/v1/loads/${id}/apply`, { method: 'POST' })
  const fail = async (id: unknown) => {
    await sql.unsafe(`
      create function refuse_for_test() returns trigger language plpgsql as $$ begin raise exception 'refused by a test'; end $$;
      create trigger refuse_for_test before update on parcels for each row when (new.source = 'larch') execute function refuse_for_test()`)
    expect((await apply(id)).status).toBe(202)
    await doWork()
    await sql.unsafe('drop trigger refuse_for_test on parcels; drop function refuse_for_test')
    expect(await loadOf(`${id}`)).toMatchObject({
      status: 'failed',
      note: expect.stringContaining('refused by a test'),
    })
  }
  const countOwned = async (owner: string) =>
    (await sql`select from parcels where source = 'larch' and owner_name = ${owner}`).length

  const first = await hold('larch-2.geojsonl', 'FIRST')
  expect(await loadOf(`${first}`)).toMatchObject({ status: 'held', can_apply: true })
  await fail(first)
  expect([(await loadOf(`${first}`)).can_apply, await countOwned('FIRST')]).toEqual([true, 0])
  expect((await apply(first)).status).toBe(202)
  await doWork()
  expect(await loadOf(`${first}`)).toMatchObject({ status: 'applied', can_apply: false, counts: { updated: 1_000 } })
  expect(await countOwned('FIRST')).toBe(1_000)

  const second = await hold('larch-3.geojsonl', 'SECOND')
  await fail(second)
  const { load: newer } = await ingest('larch', toFile('larch-4.geojsonl', owned('NEWER', 300)))
  expect(newer?.status).toBe('held')
  expect(await loadOf(`${second}`)).toMatchObject({ status: 'failed', can_apply: false })
  expect(await sql`select from load_batches where load_id = ${second ?? null}`).toHaveLength(0)
  expect(await apply(second)).toMatchObject({ status: 409, body: { error: expect.stringContaining('a newer load') } })
  await call(`/v1/loads/${newer?.id}/discard`, { method: 'POST' })
  // What was read for it is gone: applying it again would write nothing, and call it applied.
  expect(await loadOf(`${second}`)).toMatchObject({ status: 'failed', can_apply: false })
  expect((await apply(second)).status).toBe(409)
  expect(await countOwned('SECOND')).toBe(0)
})

test('a second load of the same source waits for the first', async () => {
  await createSource('teak')
  const id = crypto.randomUUID()
  const order = {
    id,
    source: 'teak',
    kind: 'ingest',
    isComplete: false,
    asOf: null,
    file: null,
    cleared: [],
    createdBy: 'test',
  } as const
  expect(await beginLoad(sql, order, 60_000)).not.toBeNull()
  const said: string[] = []
  const second = ingest('teak', toFile('teak-2.geojsonl', rowsOf()), { say: (line) => said.push(line) })
  await waitFor(() => said.length > 0)
  expect(said).toEqual([`another load of teak is running (${id}): waiting for it to end`])
  await cancelWork(sql, id, 'cancelled by a test')
  expect((await second).load?.status).toBe('applied')
  await doWork()
  expect(await loadOf(id)).toMatchObject({ status: 'discarded', note: 'cancelled by a test' })
})

const children: Bun.Subprocess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts the command, kills it as soon as it waits for `lock`, and releases the lock. Then its work is continued. */
const killAt = async (source: string, file: string, lock: string) => {
  const blocker = connectDatabase(url, { max: 1 })
  try {
    await blocker.begin(async (tx) => {
      await tx.unsafe(lock)
      const child = Bun.spawn(commandOf('src/cli/ingest.ts', 'parcels', '--source', source, '--complete', file), {
        cwd: inFolder('.'),
        env: { ...process.env, DATABASE_URL: url, MEILI_URL: 'http://127.0.0.1:9' },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      children.push(child)
      await waitFor(async () => {
        const waiting = await sql`
          select from pg_stat_activity where datname = current_database() and application_name = 'ingest' and wait_event_type = 'Lock'`
        return waiting.length > 0
      })
      child.kill('SIGKILL')
      await child.exited
    })
  } finally {
    await blocker.end()
  }
  await expireLease(source)
  expect(await doWork()).toBe(true)
  const [load] = await sql`select id from loads where source = ${source} order by id desc limit 1`
  return loadOf(load?.id)
}

test('a load whose process is killed is discarded while it is read or compared, and completed while it is applied', async () => {
  await createSource('pine')
  const before = await snapshot('pine')
  const rows = rowsOf((row, index) => (index < 50 ? null : index < 400 ? { ...row, owner: `NEW ${index}` } : row))
  const file = toFile('pine-2.geojsonl', rows)
  await sql.unsafe(`
    create function wait_for_test() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(18); return new; end $$;
    create trigger wait_for_test before update on loads for each row
      when (old.judged_at is null and new.judged_at is not null and new.source = 'pine') execute function wait_for_test()`)
  for (const lock of ['lock table load_batches in exclusive mode', 'select pg_advisory_xact_lock(18)']) {
    expect(await killAt('pine', file, lock)).toMatchObject({ status: 'discarded', verdict: null })
    expect(await snapshot('pine')).toEqual(before)
  }
  const compared = await killAt('pine', file, 'lock table parcels in exclusive mode')
  expect(compared).toMatchObject({ status: 'applied', counts: { updated: 350, retired: 50, unchanged: PARCELS - 400 } })
  const after = (
    await sql`
    select count(*) filter (where owner_name like 'NEW %')::int as renamed, count(*) filter (where retired_at is not null)::int as retired
    from parcels where source = 'pine'`
  )[0]
  expect(after).toEqual({ renamed: 350, retired: 50 })
  expect(await sql`select from load_batches`).toHaveLength(0)
})

test('a process that another one has replaced says so, and the load is completed', async () => {
  await createSource('osier')
  const file = toFile(
    'osier-2.geojsonl',
    rowsOf((row, index) => (index < 10 ? { ...row, owner: `NEW ${index}` } : row)),
  )
  const blocker = connectDatabase(url, { max: 1 })
  let replaced: Promise<unknown> | undefined
  await blocker.begin(async (tx) => {
    await tx`lock table parcels in exclusive mode`
    replaced = ingest('osier', file).catch((error) => error.message)
    await waitFor(
      async () => (await sql`select from loads where source = 'osier' and status = 'applying'`).length === 1,
    )
    await sql`update work set attempts = attempts + 1 where kind = 'load' and source = 'osier' and status = 'running'`
  })
  await blocker.end()
  expect(await replaced).toStartWith('this process no longer has the load: it was cancelled, or a worker took over')
  await expireLease('osier')
  expect(await doWork()).toBe(true)
  expect((await sql`select from parcels where source = 'osier' and owner_name like 'NEW %'`).length).toBe(10)
})

test('a load is not ended while a batch of it is locked by a process that lost the work', async () => {
  await createSource('rowan')
  const file = toFile(
    'rowan-2.geojsonl',
    rowsOf((row) => ({ ...row, owner: `NEW ${row.id}` })),
  )
  const { load } = await ingest('rowan', file)
  const id = load?.id ?? ''
  expect(load?.status).toBe('held')
  expect((await call(`/v1/loads/${id}/apply`, { method: 'POST' })).status).toBe(202)
  const lost = connectDatabase(url, { max: 1 })
  try {
    let work: Promise<unknown> | undefined
    await lost.begin(async (tx) => {
      await tx`select from load_batches where load_id = ${id} order by number limit 1 for update`
      work = doWork()
      await waitFor(async () => {
        const [open] = await sql`select count(*)::int as n from load_batches where load_id = ${id} and not is_applied`
        const waiting = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%load_batches%'`
        return open?.n === 1 && waiting.length > 0
      })
      expect((await loadOf(id)).status).toBe('applying')
    })
    await work
  } finally {
    await lost.end()
  }
  expect(await loadOf(id)).toMatchObject({ status: 'applied', counts: { updated: PARCELS } })
})

test('403: a key without admin; 404: no such load', async () => {
  const key = await readKey()
  for (const path of ['/v1/loads', `/v1/loads/${first}`]) expect((await call(path, { key })).status).toBe(403)
  for (const action of ['apply', 'discard', 'undo']) {
    expect((await call(`/v1/loads/${first}/${action}`, { method: 'POST', key })).status).toBe(403)
    expect((await call(`/v1/loads/${crypto.randomUUID()}/${action}`, { method: 'POST' })).status).toBe(404)
    expect((await call(`/v1/loads/x/${action}`, { method: 'POST' })).status).toBe(404)
  }
  expect((await call(`/v1/loads/${crypto.randomUUID()}`)).status).toBe(404)
  expect((await call(`/v1/loads/${first}/apply`, { method: 'POST' })).status).toBe(409)
})
