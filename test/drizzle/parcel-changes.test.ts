import { expect, test } from 'bun:test'
import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'
import { parcelFields } from '../../core/parcels/fields'
import { connectDatabase } from '../../core/postgres/database'
import { createChangePartitions } from '../../drizzle/queries/changes/create-partitions'
import { findVersionBefore } from '../../drizzle/queries/changes/find-version-before'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { setCause } from '../../drizzle/queries/changes/set-cause'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import type { ParcelInput } from '../../drizzle/records'
import { readBlocks } from '../docs/blocks'
import { createTestDatabase, waitFor } from '../support/servers'

const { sql, url } = await createTestDatabase()
await sql`insert into sources (source, state, county_name, vendor, base_url)
  values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example'), ('oak', 'OR', 'Oak', 'arcgis-rest', 'https://oak.example')`

const LOAD = '00000000-0000-7000-8000-000000000001'

const square = (size: number): { geom: MultiPolygon; bbox: Bbox } => ({
  geom: {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [0, 0],
          [size, 0],
          [size, size],
          [0, 0],
        ],
      ],
    ],
  },
  bbox: [0, 0, size, size],
})

/** The changes of one parcel, oldest first, without versions and times. */
const readLog = async (id: string) =>
  (
    await sql`select action, cause, cause_id, changes, origin from parcel_changes where source_parcel_id = ${id} order by version`
  ).map((row) => ({ ...row }))

const ingest = (...rows: ParcelInput[]) => upsertParcels(sql, 'elm', rows, { cause: 'ingest', id: LOAD })

test('each write of a load is one row with its cause, the former and new values and the line of the file', async () => {
  await ingest({ sourceParcelId: '1', ownerName: 'ADA ELM', assessedValue: 5, origin: { line: 2 } })
  await ingest({ sourceParcelId: '1', ownerName: 'ADA ELM', assessedValue: 5, origin: { line: 9 } })
  await ingest({ sourceParcelId: '1', ownerName: 'BO ELM', acreage: 0.25, origin: { line: 3 } })
  expect(await readLog('1')).toEqual([
    { action: 'created', cause: 'ingest', cause_id: LOAD, changes: {}, origin: { line: 2 } },
    {
      action: 'changed',
      cause: 'ingest',
      cause_id: LOAD,
      changes: {
        owner_name: ['ADA ELM', 'BO ELM'],
        owner_names_all: [['ADA ELM'], ['BO ELM']],
        acreage: [null, 0.25],
      },
      origin: { line: 3 },
    },
  ])
})

test('every field of a parcel is compared', async () => {
  const values = {
    ...{ text: ['a', 'b'], list: [['a'], ['b']], area: [1, 2], degrees: [5, 6], money: [3, 4], boolean: [true, false] },
  }
  const row = (which: 0 | 1) =>
    ({
      sourceParcelId: 'all',
      ...Object.fromEntries(parcelFields.map(({ key, type }) => [key, values[type][which]])),
    }) as ParcelInput
  await ingest(row(0))
  await ingest(row(1))
  const [, changed] = await readLog('all')
  expect(changed?.changes).toEqual(Object.fromEntries(parcelFields.map(({ name, type }) => [name, values[type]])))
})

test('a statement that states no cause is an operator, whatever the row said before', async () => {
  await sql`update parcels set owner_name = 'CY ELM' where source_parcel_id = '1'`
  expect((await readLog('1')).at(-1)).toEqual({
    action: 'changed',
    cause: 'operator',
    cause_id: null,
    changes: { owner_name: ['BO ELM', 'CY ELM'] },
    origin: null,
  })
})

test('a cause holds until its transaction ends', async () => {
  await sql.begin(async (tx) => {
    await setCause(tx, 'review')
    await tx`update parcels set owner_name = 'DI ELM' where source_parcel_id = '1'`
  })
  expect((await readLog('1')).at(-1)?.cause).toBe('review')
  await sql`update parcels set owner_name = 'ED ELM' where source_parcel_id = '1'`
  expect((await readLog('1')).at(-1)?.cause).toBe('operator')
})

test('a boundary is logged as hashes, and its former content is kept once', async () => {
  await ingest({ sourceParcelId: 'g1', ...square(1) }, { sourceParcelId: 'g2', ...square(1) })
  await ingest({ sourceParcelId: 'g1', ...square(2) }, { sourceParcelId: 'g2', ...square(2) })
  await ingest({ sourceParcelId: 'g1', ...square(1) })
  const hashes = (await readLog('g1')).slice(1).map(({ changes }) => changes.geom as [string, string])
  const [first, second] = hashes
  expect(hashes).toEqual([
    [first?.[0] as string, first?.[1] as string],
    [...(first ?? [])].toReversed() as [string, string],
  ])
  expect(second?.[0]).not.toBe(second?.[1] as string)
  const kept =
    await sql`select hash, geom from geometries where hash = any(${first ?? []}) order by bbox[0] <-> point(0, 0)`
  expect(kept.map(({ hash, geom }) => [hash, geom])).toEqual([
    [first?.[0], square(1).geom],
    [first?.[1], square(2).geom],
  ])
})

test('members of scrape data are logged one by one, except those that change with every scrape', async () => {
  await ingest({ sourceParcelId: 's' })
  const scrape = (data: object) =>
    sql`update parcels set scrape_data = ${sql.json(data as never)} where source_parcel_id = 's'`
  await scrape({ fetched_at: 'monday', sale_history: [{ price: 1, deed_type: null }] })
  await scrape({ fetched_at: 'tuesday', sale_history: [{ price: 1, deed_type: null }] })
  await scrape({ fetched_at: 'wednesday', owner_name: 'ADA ELM' })
  const [, ...changes] = await readLog('s')
  expect(changes.map((change) => change.changes)).toEqual([
    { 'scrape_data.sale_history': [null, [{ price: 1, deed_type: null }]] },
    {
      'scrape_data.sale_history': [[{ price: 1, deed_type: null }], null],
      'scrape_data.owner_name': [null, 'ADA ELM'],
    },
  ])
})

test('the log says when a parcel is retired, returns and is deleted', async () => {
  await ingest({ sourceParcelId: 'r', ownerName: 'ADA ELM', ...square(3) })
  await sql`update parcels set retired_at = '2026-03-04' where source_parcel_id = 'r'`
  await sql`update parcels set retired_at = null where source_parcel_id = 'r'`
  await sql`delete from parcels where source_parcel_id = 'r'`
  const [, retired, returned, deleted] = await readLog('r')
  expect(retired).toMatchObject({ action: 'retired', changes: { retired_at: [null, '2026-03-04T00:00:00.000Z'] } })
  expect(returned).toMatchObject({ action: 'returned', changes: { retired_at: ['2026-03-04T00:00:00.000Z', null] } })
  expect(deleted).toMatchObject({
    action: 'deleted',
    changes: { owner_name: ['ADA ELM', null], owner_names_all: [['ADA ELM'], null] },
  })
  const [hash = '', current = ''] = deleted?.changes.geom ?? []
  expect(current).toBeNull()
  const [kept] = await sql`select geom from geometries where hash = ${hash}`
  expect(kept?.geom).toEqual(square(3).geom)
})

test('the statement of docs/scale.md deletes the parcels of the retired sources of one state, and logs each', async () => {
  await sql`insert into sources (source, state, county_name, vendor, base_url, retired_at) values
    ('ash', 'WY', 'Ash', 'arcgis-rest', 'https://ash.example', now()), ('fir', 'WY', 'Fir', 'arcgis-rest', 'https://fir.example', null),
    ('yew', 'OR', 'Yew', 'arcgis-rest', 'https://yew.example', now())`
  for (const source of ['ash', 'fir', 'yew']) {
    await upsertParcels(sql, source, [{ sourceParcelId: `${source}-1` }, { sourceParcelId: `${source}-2` }])
  }
  const [statement] = readBlocks('docs/scale.md').filter(({ language }) => language === 'sql')
  await sql.unsafe(statement?.text ?? '').simple()
  expect([
    ...(await sql`select source, count(*)::int as n from parcels where source = any('{ash,fir,yew}') group by 1 order by 1`),
  ]).toEqual([
    { source: 'fir', n: 2 },
    { source: 'yew', n: 2 },
  ])
  expect([
    ...(await sql`select source_parcel_id from parcel_changes where action = 'deleted' and source = 'ash' order by 1`),
  ]).toEqual([{ source_parcel_id: 'ash-1' }, { source_parcel_id: 'ash-2' }])
})

test('a source that is renamed keeps its changes', async () => {
  await upsertParcels(sql, 'oak', [{ sourceParcelId: 'o' }])
  await sql`update sources set source = 'red-oak' where source = 'oak'`
  expect([...(await sql`select source, action from parcel_changes where source_parcel_id = 'o'`)]).toEqual([
    { source: 'red-oak', action: 'created' },
  ])
})

test('a reader that pages while eight writers commit sees every change once, and never one below its cursor', async () => {
  const WRITERS = 8
  const ROUNDS = 30
  const start = await readWatermark(sql)
  let writing = WRITERS
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    const own = connectDatabase(url, { max: 1 })
    for (let round = 0; round < ROUNDS; round++) {
      const aborts = round % 5 === 4
      await own
        .begin(async (tx) => {
          await upsertParcels(tx, 'elm', [{ sourceParcelId: `w${writer}`, assessedValue: round }])
          // Transactions do not commit in the order of their versions.
          await Bun.sleep(Math.random() * 8)
          await upsertParcels(tx, 'elm', [{ sourceParcelId: `v${writer}`, assessedValue: round }])
          if (aborts) throw new Error('rolled back')
        })
        .catch((error: Error) => {
          if (error.message !== 'rolled back') throw error
        })
    }
    await own.end()
    writing--
  })
  const seen: number[] = []
  let place = start
  const readPage = async () => {
    const watermark = await readWatermark(sql)
    const rows = await sql<{ version: number }[]>`select version::float8 as version from parcel_changes
      where version > ${place} and version <= ${watermark} order by version limit 7`
    seen.push(...rows.map(({ version }) => version))
    place = seen.at(-1) ?? place
    return rows.length
  }
  while (writing > 0) await readPage()
  await Promise.all(writers)
  while ((await readPage()) > 0);
  const all = await sql<
    { version: number }[]
  >`select version::float8 as version from parcel_changes where version > ${start} order by version`
  expect(all.length).toBeGreaterThan(WRITERS * ROUNDS)
  expect(seen).toEqual(all.map(({ version }) => version))
})

test('an open transaction holds the watermark below its versions, even if a transaction with later versions has committed', async () => {
  const before = await readWatermark(sql)
  const [release, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const open = sql.begin(async (tx) => {
    await upsertParcels(tx, 'elm', [{ sourceParcelId: 'open' }])
    release.resolve()
    await released.promise
  })
  await release.promise
  await ingest({ sourceParcelId: 'other' })
  expect(await readWatermark(sql)).toBe(before)
  released.resolve()
  await open
  await waitFor(async () => (await readWatermark(sql)) === before + 2)
})

test('a partition of the current month takes the rows that were written while it was missing', async () => {
  const partition = `parcel_changes_${new Date().toISOString().slice(0, 7).replace('-', '_')}`
  const countIn = async (table: string) => (await sql`select count(*)::int as n from ${sql(table)}`)[0]?.n
  const stored = await countIn('parcel_changes')
  expect(await countIn(partition)).toBe(stored)
  await sql`drop table ${sql(partition)}`
  await ingest({ sourceParcelId: 'p1' })
  expect(await countIn('parcel_changes_default')).toBe(1)
  await createChangePartitions(sql)
  expect(await countIn('parcel_changes_default')).toBe(0)
  expect(await countIn(partition)).toBe(1)
  await createChangePartitions(sql)
})

test('no change at a time or later has a version up to the one before that time, although statements that run together mix the order of times', async () => {
  await ingest(...Array.from({ length: 60 }, (_, n) => ({ sourceParcelId: `mixed-${n}` })))
  // Each third change is 40 s late, as of a statement that drew its versions early and committed last.
  await sql`
    update parcel_changes c set at = now() + interval '1 hour' + n * interval '2 seconds' + case when n % 3 = 0 then interval '40 seconds' else interval '0' end
    from (select version, row_number() over (order by version) as n from parcel_changes where source_parcel_id like 'mixed-%') m
    where c.version = m.version`
  const changes = await sql<{ version: number; at: string; ms: number }[]>`
    select version::float8 as version, iso_utc(at) as at, extract(epoch from at)::float8 * 1000 as ms from parcel_changes
    where source_parcel_id like 'mixed-%'`
  expect(changes).toHaveLength(60)
  for (const { at, ms } of changes) {
    const first = Math.min(...changes.filter((change) => change.ms >= ms).map(({ version }) => version))
    expect(await findVersionBefore(sql, at)).toBeLessThan(first)
  }
})
