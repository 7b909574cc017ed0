import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { setCause } from '../../drizzle/queries/changes/set-cause'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { advanceWatchProgress, storeMatches } from '../../drizzle/queries/watches/store-matches'
import { findWatch } from '../../drizzle/queries/watches/watches'
import type { ParcelInput } from '../../drizzle/records'
import { registerWebhookMetrics } from '../../src/operations/observe/webhook-metrics'
import { addWatch, changeWatch } from '../../src/watches/change-watch'
import type { WatchTarget } from '../../src/watches/read-target'
import { createWatchMatcher } from '../../src/watches/watch-matcher'
import { insertSource } from '../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase, waitFor } from '../support/servers'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, url } = await createTestDatabase()
await insertSource(sql, 'elm', 'arcgis-rest')
await insertSource(sql, 'oak', 'arcgis-rest')
const log = pino({ level: 'silent' })
const matcher = createWatchMatcher({ databaseUrl: url, sql, log, pollMs: 50 })
matcher.start()
afterAll(() => matcher.stop())

const OWNER = { owner: crypto.randomUUID(), accountId: null, keyHash: null, createdBy: 'tester' }
const add = async (
  target: WatchTarget & { fields?: string[]; webhook_url?: string },
  owner: Parameters<typeof addWatch>[1] = OWNER,
) => (await sql.begin((tx) => addWatch(tx, owner, target, { allowPrivate: true }))).id
const write = (source: string, ...rows: ParcelInput[]) =>
  upsertParcels(sql, source, rows, { cause: 'ingest', id: crypto.randomUUID() })
const isDone = () =>
  waitFor(async () => {
    const [row] = await sql`select version = last_parcel_version() as done from watch_progress`
    return row?.done === true
  })
/** What a watch matched, in order: the parcel and what happened to it. */
const matchesOf = async (id: string) => {
  await isDone()
  const rows = await sql`
    select c.source_parcel_id || ' ' || c.action as text from webhook_deliveries d join parcel_changes c using (version)
    where d.watch_id = ${id} order by version`
  return rows.map(({ text }) => text)
}

/** A square with its lower left corner at (x, y). */
const square = (x: number, y: number, size: number): Pick<ParcelInput, 'geom' | 'bbox'> => ({
  geom: {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [x, y],
          [x + size, y],
          [x + size, y + size],
          [x, y + size],
          [x, y],
        ],
      ],
    ],
  },
  bbox: [x, y, x + size, y + size],
})

test('a watch of a parcel matches that parcel’s changes, even if the parcel is created later', async () => {
  const id = await add({ kind: 'parcel', source: 'elm', source_parcel_id: 'p1' })
  await write('elm', { sourceParcelId: 'p1', ownerName: 'ADA' }, { sourceParcelId: 'p2', ownerName: 'BO' })
  await write('oak', { sourceParcelId: 'p1', ownerName: 'CY' })
  await write('elm', { sourceParcelId: 'p1', ownerName: 'DEE' })
  await write('elm', { sourceParcelId: 'p1', ownerName: 'DEE' })
  expect(await matchesOf(id)).toEqual(['p1 created', 'p1 changed'])
})

test('a watch of a source matches all of its changes, with `fields` all but changes of other fields', async () => {
  const all = await add({ kind: 'source', source: 'elm' })
  const some = await add({ kind: 'source', source: 'elm', fields: ['assessed_value'] })
  await write('elm', { sourceParcelId: 's1', ownerName: 'ADA', assessedValue: 1 })
  await write('elm', { sourceParcelId: 's1', ownerName: 'BO', assessedValue: 1 })
  await write('elm', { sourceParcelId: 's1', ownerName: 'BO', assessedValue: 2 })
  await sql`update parcels set retired_at = now() where source_parcel_id = 's1'`
  await sql`update parcels set retired_at = null where source_parcel_id = 's1'`
  await sql`delete from parcels where source_parcel_id = 's1'`
  const steps = ['created', 'changed', 'changed', 'retired', 'returned', 'deleted'].map((action) => `s1 ${action}`)
  expect(await matchesOf(all)).toEqual(steps)
  expect(await matchesOf(some)).toEqual(steps.toSpliced(1, 1))
})

test('a watch of an owner matches an accent of one character or two, whichever of them the source writes', async () => {
  const name = 'PEÑA & SONS'
  const ids = [
    await add({ kind: 'owner', owner_name: name.normalize('NFC') }),
    await add({ kind: 'owner', owner_name: name.normalize('NFD') }),
  ]
  for (const form of ['NFC', 'NFD'] as const) {
    await write('elm', { sourceParcelId: `accent-${form}`, ownerName: name.normalize(form) })
    await write('elm', { sourceParcelId: `accent-${form}`, ownerName: 'BO' })
  }
  const both = ['NFC', 'NFD'].flatMap((form) => [`accent-${form} created`, `accent-${form} changed`])
  for (const id of ids) expect(await matchesOf(id)).toEqual(both)
})

test('a watch of an owner compares names as search does, and matches under the owner before and after a change', async () => {
  const id = await add({ kind: 'owner', owner_name: 'Juniper Holdings, L.L.C.' })
  // In one transaction, so that the values at each change have to be found in the log.
  await sql.begin(async (tx) => {
    await setCause(tx, 'ingest')
    await tx`insert into parcels (source, source_parcel_id, owner_name) values ('elm', 'o1', 'JUNIPER HOLDINGS LLC'), ('elm', 'o2', 'BO')`
    await tx`update parcels set acreage = 1 where source_parcel_id in ('o1', 'o2')`
    await tx`update parcels set owner_name = 'BO' where source_parcel_id = 'o1'`
    await tx`update parcels set acreage = 2 where source_parcel_id in ('o1', 'o2')`
    await tx`update parcels set owner_name = 'Juniper Holdings Limited Liability Company' where source_parcel_id = 'o2'`
    await tx`update parcels set owner_name = null where source_parcel_id = 'o2'`
    await tx`update parcels set acreage = 3 where source_parcel_id = 'o2'`
  })
  expect(await matchesOf(id)).toEqual(['o1 created', 'o1 changed', 'o1 changed', 'o2 changed', 'o2 changed'])
})

test('a watch of a polygon matches parcels whose boundary meets it before or after the change, and not those that only meet its box', async () => {
  const triangle = {
    type: 'Polygon',
    coordinates: [
      [
        [10, 10],
        [20, 10],
        [10, 20],
        [10, 10],
      ],
    ],
  }
  const id = await add({ kind: 'polygon', polygon: triangle })
  await write('elm', { sourceParcelId: 'g1', ...square(11, 11, 1) }, { sourceParcelId: 'g2', ...square(18, 18, 1) })
  await write('elm', { sourceParcelId: 'g1', ownerName: 'ADA' }, { sourceParcelId: 'g2', ownerName: 'ADA' })
  await write('elm', { sourceParcelId: 'g1', ...square(30, 30, 1) }, { sourceParcelId: 'g2', ...square(10, 10, 9) })
  await write('elm', { sourceParcelId: 'g1', ownerName: 'BO' }, { sourceParcelId: 'g2', ownerName: 'BO' })
  await sql`update parcels set geom = null, bbox = null where source_parcel_id = 'g2'`
  await write('elm', { sourceParcelId: 'g2', ownerName: 'CY' })
  const matches = await matchesOf(id)
  expect(matches.filter((text) => text.startsWith('g1'))).toEqual(['g1 created', 'g1 changed', 'g1 changed'])
  expect(matches.filter((text) => text.startsWith('g2'))).toEqual(['g2 changed', 'g2 changed', 'g2 changed'])
})

test('a watch of a polygon matches a change where the point was at that time, although it moved before the matcher read the log', async () => {
  await write('elm', { sourceParcelId: 'moving', lon: 70.5, lat: 10.5 })
  await isDone()
  const polygonAt = (x: number) => {
    const { geom } = square(x, 10, 1)
    return add({ kind: 'polygon', polygon: { type: 'MultiPolygon', coordinates: geom?.coordinates ?? [] } })
  }
  const [first, second] = [await polygonAt(70), await polygonAt(75)]
  await sql.begin(async (tx) => {
    await tx`update parcels set acreage = 1 where source_parcel_id = 'moving'`
    await tx`update parcels set lon = 75.5 where source_parcel_id = 'moving'`
    await tx`update parcels set acreage = 2 where source_parcel_id = 'moving'`
  })
  expect(await matchesOf(first)).toEqual(['moving changed', 'moving changed'])
  expect(await matchesOf(second)).toEqual(['moving changed', 'moving changed'])
})

test('a watch does not match changes from before it was added, or from when it was not active, or after its key was revoked', async () => {
  await write('elm', { sourceParcelId: 't1', acreage: 1 })
  const keyHash = 'a'.repeat(64)
  await sql`insert into api_keys (name, hashed_key) values ('reader', ${keyHash})`
  const id = await add({ kind: 'parcel', source: 'elm', source_parcel_id: 't1' })
  const keyed = await add({ kind: 'parcel', source: 'elm', source_parcel_id: 't1' }, { ...OWNER, keyHash })
  const change = (active: boolean) => sql.begin((tx) => changeWatch(tx, null, id, { active }, { allowPrivate: true }))
  await write('elm', { sourceParcelId: 't1', acreage: 2 })
  await isDone()
  await change(false)
  await sql`update api_keys set revoked_at = now() where hashed_key = ${keyHash}`
  await write('elm', { sourceParcelId: 't1', acreage: 3 })
  await change(true)
  await write('elm', { sourceParcelId: 't1', acreage: 4 })
  expect(await matchesOf(id)).toHaveLength(2)
  expect(await matchesOf(keyed)).toHaveLength(1)
})

test('a match is recorded without a webhook, queued with one, and is an event for the owner in either case', async () => {
  const owner = { ...OWNER, owner: crypto.randomUUID() }
  const id = await add({ kind: 'parcel', source: 'elm', source_parcel_id: 'w1' }, owner)
  const { id: sent } = await sql.begin((tx) =>
    addWatch(
      tx,
      owner,
      { kind: 'parcel', source: 'elm', source_parcel_id: 'w1', webhook_url: 'https://hooks.example/a?b=1' },
      { allowPrivate: false },
    ),
  )
  await write('elm', { sourceParcelId: 'w1', acreage: 1 })
  await isDone()
  expect(
    Object.fromEntries(
      (await sql`select watch_id, status from webhook_deliveries where watch_id in (${id}, ${sent})`).map((row) => [
        row.watch_id,
        row.status,
      ]),
    ),
  ).toEqual({ [id]: 'recorded', [sent]: 'pending' })
  const work = await sql`select status from work where kind = 'webhooks' and subject = 'https://hooks.example'`
  expect(work.map(({ status }) => status)).toEqual(['queued'])
  const events =
    await sql`select payload from events where kind = 'watch' and ${owner.owner}::uuid = any(watchers) order by id`
  expect(events.map(({ payload }) => payload.watch_id).toSorted()).toEqual([id, sent].toSorted())
  expect(events[0]?.payload).toMatchObject({ source: 'elm', source_parcel_id: 'w1', action: 'created', fields: [] })
})

test('a match makes the next turn of its receiver earlier, and never later', async () => {
  const target = { kind: 'parcel', source: 'elm', source_parcel_id: 'turn' } as const
  const id = await add({ ...target, webhook_url: 'https://turns.example/a' })
  const changeParcel = async (acreage: number) => {
    await write('elm', { sourceParcelId: 'turn', acreage })
    await isDone()
  }
  const isDue = async () =>
    (
      await sql`select not_before <= now() as due from work where kind = 'webhooks' and subject = 'https://turns.example'`
    )[0]?.due
  await changeParcel(1)
  await sql`update work set not_before = now() + interval '1 hour' where subject = 'https://turns.example'`
  await changeParcel(2)
  expect(await isDue()).toBe(true)
  // The turn is for another watch of this receiver.
  await sql`update watches set held_until = now() + interval '10 minutes' where id = ${id}`
  await changeParcel(3)
  expect(await isDue()).toBe(true)
})

test('if too many webhooks of a watch wait, later changes are left out; the watch and a metric say how many, and the watch says after which version', async () => {
  await write(
    'oak',
    ...Array.from({ length: 7 }, (_, index) => ({ sourceParcelId: `full-${index}`, ownerName: 'ADA' })),
  )
  await isDone()
  const versions = (
    await sql`select version::float8 as version from parcel_changes where source_parcel_id like 'full-%' order by 1`
  ).map(({ version }) => version as number)
  const receiver = { webhook_url: 'https://hooks.larkspur.example/full' }
  const full = await add({ kind: 'source', source: 'oak', ...receiver })
  const other = await add({ kind: 'source', source: 'oak' })
  const store = (from: number, to: number) =>
    sql.begin((tx) =>
      storeMatches(
        tx,
        versions.slice(from, to).flatMap((version) => [full, other].map((watchId) => ({ version, watchId }))),
        { mostPending: 3 },
      ),
    )
  const readWatch = async () =>
    JSON.parse((await findWatch(sql, OWNER.owner, full)) ?? '{}') as { missed: number; missed_after: number | null }
  expect(await store(0, 3)).toEqual({ stored: 6, missed: 0 })
  expect(await readWatch()).toMatchObject({ missed: 0, missed_after: null })
  expect(await store(3, 5)).toEqual({ stored: 2, missed: 2 })
  expect(await readWatch()).toMatchObject({ missed: 2, missed_after: (versions[3] ?? 0) - 1 })
  // A place is free again.
  await sql`update webhook_deliveries set status = 'delivered', finished_at = now() where watch_id = ${full} and version = ${versions[0] ?? 0}`
  expect(await store(5, 6)).toEqual({ stored: 2, missed: 0 })
  expect(await readWatch()).toMatchObject({ missed: 2, missed_after: (versions[3] ?? 0) - 1 })
  // A caller who reads the changes from there on gets everything that was left out.
  expect(await store(6, 7)).toEqual({ stored: 1, missed: 1 })
  expect(await readWatch()).toMatchObject({ missed: 3, missed_after: (versions[3] ?? 0) - 1 })
  expect(await matchesOf(full)).toEqual([0, 1, 2, 5].map((index) => `full-${index} created`))
  expect(await matchesOf(other)).toHaveLength(7)

  const registry = new Registry()
  registerWebhookMetrics(registry, sql)
  const text = await registry.metrics()
  const [pending] = await sql`select count(*)::int as n from webhook_deliveries where status = 'pending'`
  expect(text).toContain(`\nwebhook_deliveries_pending ${pending?.n}\n`)
  expect(text).toContain('\nwebhook_changes_missed 3\n')
  // Its owner has read the changes.
  for (const active of [false, true])
    await sql.begin((tx) => changeWatch(tx, OWNER.owner, full, { active }, { allowPrivate: true }))
  expect(await readWatch()).toMatchObject({ missed: 0, missed_after: null })
})

test('one change goes to a bounded number of the watches of an owner, the oldest; the others count it as missed', async () => {
  await write('oak', { sourceParcelId: 'crowd', ownerName: 'ADA' })
  await isDone()
  const [change] = await sql`select version::float8 as version from parcel_changes where source_parcel_id = 'crowd'`
  const version = change?.version as number
  const crowd: string[] = []
  for (let count = 0; count < 3; count++) crowd.push(await add({ kind: 'source', source: 'oak' }))
  const other = await add({ kind: 'source', source: 'oak' }, { ...OWNER, owner: crypto.randomUUID() })
  const matches = [...crowd, other].map((watchId) => ({ version, watchId }))
  expect(await sql.begin((tx) => storeMatches(tx, matches, { mostOfOne: 2 }))).toEqual({ stored: 3, missed: 1 })
  const rows =
    await sql`select id, missed::int as missed, missed_after::float8 as after from watches where id = any(${[...crowd, other]}) order by id`
  expect(rows.map(({ missed, after }) => [missed, after])).toEqual([
    ...[0, 0].map((none) => [none, null]),
    [1, version - 1],
    [0, null],
  ])
})

test('two watches on one change and many changes of one page are all stored, and a page is stored once', async () => {
  await isDone()
  const ids = [await add({ kind: 'source', source: 'oak' }), await add({ kind: 'source', source: 'oak' })]
  await matcher.stop()
  await sql`
    insert into parcels (source, source_parcel_id) select 'oak', 'many ' || n from generate_series(1, 2500) n`
  const [place] =
    await sql`select version::float8 as after, last_parcel_version()::float8 as "upTo" from watch_progress`
  const range = place as unknown as { after: number; upTo: number }
  const change = await sql`select max(version)::float8 as version from parcel_changes`
  const match = { version: change[0]?.version, watchId: ids[0] as string }
  const store = () =>
    sql.begin(async (tx) => {
      if (!(await advanceWatchProgress(tx, range))) return false
      await storeMatches(tx, [match, { ...match, watchId: crypto.randomUUID() }])
      return true
    })
  // A transaction that is rolled back stores no deliveries.
  await sql
    .begin(async (tx) => {
      await advanceWatchProgress(tx, range)
      await storeMatches(tx, [match])
      throw new Error('killed')
    })
    .catch(() => {})
  expect(await matchesCount(ids[0])).toBe(0)
  expect([await store(), await store()].toSorted()).toEqual([false, true])
  expect(await matchesCount(ids[0])).toBe(1)
  await sql`update watch_progress set version = ${range.after}`
  const next = createWatchMatcher({ databaseUrl: url, sql, log, pollMs: 50 })
  next.start()
  await isDone()
  await next.stop()
  for (const id of ids) expect(await matchesCount(id)).toBe(2500)
})

const matchesCount = async (id = '') =>
  (await sql`select count(*)::int as count from webhook_deliveries where watch_id = ${id}`)[0]?.count
