import { afterAll, expect, test } from 'bun:test'
import { pino } from 'pino'
import { connectDatabase } from '../../core/postgres/database'
import { compactChanges, listYearsToCompact } from '../../drizzle/queries/changes/compact-changes'
import { findFormerParcel } from '../../drizzle/queries/changes/find-former-parcel'
import { findParcelOrigins } from '../../drizzle/queries/parcels/parcel-origins'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import type { ParcelInput } from '../../drizzle/records'
import { createCompaction } from '../../src/jobs/scheduler/compaction'
import { orderUndo, undoCause } from '../../src/orders/order-on-load'
import { createLoadRunner } from '../../src/work/load-runner'
import { takeWork } from '../../src/work/take-work'
import { createTestDatabase, waitFor } from '../support/servers'

const { sql, url } = await createTestDatabase()
await sql`insert into sources (source, state, county_name, vendor, base_url) values ('elm', 'OR', 'Elm', 'file', '')`
const others = connectDatabase(url, { max: 2 })
afterAll(() => others.end())

const LOAD = '00000000-0000-7000-8000-000000000001'
const THIS_YEAR = new Date().getUTCFullYear()
/** The years of the changes. The last one is too young to be compacted. */
const [OLDEST, OLD, KEPT] = [THIS_YEAR - 3, THIS_YEAR - 2, THIS_YEAR - 1] as const
const KEEP_MONTHS = 12

let seed = 20_261_129
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
  return seed % below
}
const oneOf = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value

const IDS = Array.from({ length: 12 }, (_, index) => `p${index}`)
const point = () => oneOf([{}, { lon: -120 - random(3), lat: 44 }])

/** A parcel with few different values, so that fields often change back. */
const draw = (sourceParcelId: string): ParcelInput => ({
  sourceParcelId,
  ownerName: oneOf(['ADA ELM', 'BO ELM', 'CY ELM']),
  situsAddress: oneOf(['1 ELM ST', '2 ELM ST', null]),
  assessedValue: oneOf([1, 2, 3, null]),
  ...point(),
  origin: { line: random(1_000) },
})

const write = (...parcels: ParcelInput[]) => upsertParcels(sql, 'elm', parcels, { cause: 'ingest', id: LOAD })

/** Moves the changes of a range of versions into a year, evenly. */
const spread = (year: number, after: number) => sql`
  update parcel_changes set at = make_timestamptz(${year}, 1, 2, 0, 0, 0, 'UTC') + (version - ${after}) * interval '60 hours'
  where version > ${after}`

const lastVersion = async (): Promise<number> =>
  Number((await sql`select coalesce(max(version), 0) as n from parcel_changes`)[0]?.n)

/** The months of a year as partitions, as the service made them in that year. */
const addMonths = async (year: number) => {
  for (let month = 1; month <= 12; month++) {
    const name = `parcel_changes_${year}_${String(month).padStart(2, '0')}`
    const [from, to] = [new Date(Date.UTC(year, month - 1)), new Date(Date.UTC(year, month))]
    await sql.unsafe(
      `create table ${name} partition of parcel_changes for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
    )
  }
}

const partitions = async (): Promise<string[]> =>
  (
    await sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'parcel_changes'::regclass order by 1`
  ).map(({ name }) => name)

/** The record of each parcel at a time, without the time of its last change. */
const recordsAt = async (time: string) =>
  Promise.all(
    IDS.map(async (id) => {
      const found = await findFormerParcel(sql, { source: 'elm', id }, time)
      const { updated_at: _, ...record } = JSON.parse(found?.body ?? '{}')
      return record
    }),
  )

const lastChanges = async () =>
  Promise.all(IDS.map(async (id) => (await findParcelOrigins(sql, { source: 'elm', id }))?.lastChanges ?? {}))

const TIMES = [
  `${OLDEST}-01-01T00:00:00Z`,
  `${OLD}-01-01T00:00:00Z`,
  ...[2, 4, 6, 8].map((month) => `${KEPT}-0${month}-01T00:00:00Z`),
  `${KEPT}-01-01T00:00:00Z`,
  new Date().toISOString(),
]

test('the records at the ends of years, the last change of each field, and younger changes stay when old years are compacted', async () => {
  await addMonths(OLDEST)
  for (const year of [OLDEST, OLD, KEPT]) {
    const after = await lastVersion()
    // Some parcels come, change, leave and return in one year.
    for (let round = 0; round < 10; round++) {
      const drawn = IDS.filter(() => random(3) > 0).map(draw)
      if (drawn.length > 0) await write(...drawn)
      if (random(3) === 0)
        await sql`update parcels set retired_at = case when retired_at is null then now() end where source_parcel_id = ${oneOf(IDS)}`
    }
    await spread(year, after)
  }
  const before = { records: [] as unknown[], changes: await lastChanges(), rows: 0 }
  for (const time of TIMES) before.records.push(await recordsAt(time))
  before.rows = Number((await sql`select count(*) as n from parcel_changes`)[0]?.n)
  const kept = await sql`select * from parcel_changes where at >= ${`${KEPT}-01-01T00:00:00Z`} order by version`

  expect(await listYearsToCompact(sql, KEEP_MONTHS)).toEqual([OLDEST, OLD])
  const [oldest, old] = [await compactChanges(sql, OLDEST), await compactChanges(sql, OLD)]

  expect(Math.min(oldest ?? 0, old ?? 0)).toBeGreaterThan(10)
  expect(Number((await sql`select count(*) as n from parcel_changes`)[0]?.n)).toBe(
    before.rows - (oldest ?? 0) - (old ?? 0),
  )
  for (const [index, time] of TIMES.entries()) expect(await recordsAt(time)).toEqual(before.records[index] as object[])
  expect([
    ...(await sql`select * from parcel_changes where at >= ${`${KEPT}-01-01T00:00:00Z`} order by version`),
  ]).toEqual([...kept])
  // A field that had changed back has an earlier last change; every other one has the same.
  const after = await lastChanges()
  for (const [index, changes] of before.changes.entries()) {
    for (const [field, change] of Object.entries(changes)) {
      const left = after[index]?.[field]
      if (left !== undefined && left.at >= change.at) expect(left).toEqual(change)
    }
  }
  expect(await listYearsToCompact(sql, KEEP_MONTHS)).toEqual([])
})

test('one table replaces the months of a year, with the indexes of the log', async () => {
  const names = await partitions()
  expect(names.filter((name) => name.startsWith(`parcel_changes_${OLDEST}`))).toEqual([`parcel_changes_${OLDEST}`])
  const [plan] = await sql`explain (format json) select * from parcel_changes
    where parcel_id = '00000000-0000-0000-0000-000000000000' and at < ${`${OLD}-01-01T00:00:00Z`} and at >= ${`${OLDEST}-01-01T00:00:00Z`}`
  expect(JSON.stringify(plan)).toContain(`parcel_changes_${OLDEST}`)
  const indexes = await sql`select indexname from pg_indexes where tablename = ${`parcel_changes_${OLDEST}`}`
  const declared = await sql`select indexname from pg_indexes where tablename = 'parcel_changes'`
  expect(indexes).toHaveLength(declared.length)
})

test('a field that changed several times in a year has one change, with the last origin; what says where a parcel is stays', async () => {
  const after = await lastVersion()
  await write({ sourceParcelId: 'q', ownerName: 'A', assessedValue: 1, lon: -120, lat: 44, origin: { line: 1 } })
  await write({ sourceParcelId: 'q', ownerName: 'B', assessedValue: 2, lon: -121, lat: 44, origin: { line: 2 } })
  await write({ sourceParcelId: 'q', ownerName: 'C', assessedValue: 1, lon: -122, lat: 44, origin: { line: 3 } })
  await spread(OLDEST - 1, after)
  await compactChanges(sql, OLDEST - 1)
  const rows =
    await sql`select action, changes, former_owner, origin from parcel_changes where source_parcel_id = 'q' order by version`
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { action: 'created', changes: {}, former_owner: null, origin: { line: 1 } },
    { action: 'changed', changes: { lon: [-120, -121], lat: [44, 44] }, former_owner: null, origin: { line: 2 } },
    {
      action: 'changed',
      changes: { owner_name: ['A', 'C'], owner_names_all: [['A'], ['C']], lon: [-121, -122], lat: [44, 44] },
      former_owner: 'a',
      origin: { line: 3 },
    },
  ])
})

test('a load whose changes are compacted cannot be undone, but the retirement of a source can', async () => {
  const undo = sql.begin((tx) => undoCause(tx, LOAD, 'test'))
  expect(undo).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('CHANGES_KEEP') })
  await undo.catch(() => {})
  const ordered = sql.begin(async (tx) => {
    await orderUndo(tx, LOAD, 'test')
    throw new Error('taken back')
  })
  expect(ordered).rejects.toThrow('taken back')
  await ordered.catch(() => {})
})

test('parcels are written and read while a year is compacted, which waits for open transactions', async () => {
  const after = await lastVersion()
  await write({ sourceParcelId: 'r', ownerName: 'A' })
  await write({ sourceParcelId: 'r', ownerName: 'B' })
  await spread(OLDEST - 2, after)
  const [read, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const reader = others.begin(async (tx) => {
    await tx`select from parcel_changes limit 1`
    read.resolve()
    await release.promise
  })
  await read.promise
  const compaction = createCompaction({ databaseUrl: url, keepMonths: KEEP_MONTHS, log: pino({ level: 'silent' }) })
  compaction.start()
  const waits = async () =>
    (
      await sql`
        select from pg_stat_activity
        where application_name = 'compaction' and wait_event = 'PgSleep' and datname = current_database()`
    ).length > 0
  await waitFor(waits)
  await write({ sourceParcelId: 'r', ownerName: 'C' })
  expect(await listYearsToCompact(sql, KEEP_MONTHS)).toEqual([OLDEST - 2])
  release.resolve()
  await reader
  await waitFor(async () => (await listYearsToCompact(sql, KEEP_MONTHS)).length === 0)
  expect(await partitions()).toContain(`parcel_changes_${OLDEST - 2}`)
  await compaction.stop()
})

test('two processes compact a year once', async () => {
  const after = await lastVersion()
  await write({ sourceParcelId: 's', ownerName: 'A' })
  await write({ sourceParcelId: 's', ownerName: 'B' })
  await spread(OLDEST - 3, after)
  const results = await Promise.allSettled([compactChanges(others, OLDEST - 3), compactChanges(others, OLDEST - 3)])
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect((await partitions()).filter((name) => name === `parcel_changes_${OLDEST - 3}`)).toHaveLength(1)
})

const ownerOf = async (id: string): Promise<string | undefined> =>
  (await sql`select owner_name from parcels where source_parcel_id = ${id}`)[0]?.owner_name

test('a compaction waits for an undo of changes of its year, which restores the value before the load', async () => {
  const year = OLDEST - 4
  const undone = '00000000-0000-7000-8000-000000000002'
  const after = await lastVersion()
  await write({ sourceParcelId: 't', ownerName: 'A' })
  await write({ sourceParcelId: 't', ownerName: 'B' })
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 't', ownerName: 'C' }], { cause: 'ingest', id: undone })
  await spread(year, after)
  const work = (await sql.begin((tx) => undoCause(tx, undone, 'test'))) as string
  const compacted = compactChanges(others, year)
  await waitFor(
    async () =>
      (await sql`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`).length >
      0,
  )
  expect(await listYearsToCompact(sql, KEEP_MONTHS)).toEqual([year])
  const log = pino({ level: 'silent' })
  await takeWork({ sql, runner: createLoadRunner({ log }), log }, { id: work, signal: new AbortController().signal })
  expect(await ownerOf('t')).toBe('B')
  expect(await compacted).toBeGreaterThan(0)
})
