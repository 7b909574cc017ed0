import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '../../../core/postgres/database'
import { startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { undoCause } from '../../../src/orders/order-on-load'
import { LAYER, startLayer } from '../../adapters/crawl/layer'
import { insertVendor } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { createTestDatabase, waitFor } from '../../support/servers'
import { insertLayerSource } from './crawl-rows'

setDefaultTimeout(TEST_TIMEOUT_MS)

const LEASE_MS = 1_000
const PAGE = 350
/** More than a batch of a load or of an undo (1,000). */
const PARCELS = 3 * PAGE
const ids = Array.from({ length: PARCELS }, (_, index) => index)

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'arcgis-rest', 2)

const children = new Set<Bun.Subprocess>()
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all([...children].map((child) => child.exited))
})
const startWorker = () => {
  const child = Bun.spawn(commandOf('test/work/crawls/crawler-process.ts', url, String(LEASE_MS)), {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  children.add(child)
  return child
}

const layer = startLayer({
  ids: ids.slice(30),
  maxRecordCount: PAGE,
  attributes: (id) => ({ PIN: `P-${id}`, OWNER: `NEW ${id}` }),
})

/** A source with stored parcels, whose portal has other owners and lacks the first 30 parcels. */
const addSource = async (source: string): Promise<void> => {
  await insertLayerSource(sql, source, '')
  await sql`
    insert into parcels (source, source_parcel_id, owner_name, owner_names_all)
    select ${source}, 'P-' || n, 'OLD ' || n, array['OLD ' || n] from generate_series(0, ${PARCELS - 1}) n`
  await sql`update sources set load_limits = '{"owner": 1}', base_url = ${layer.url + LAYER} where source = ${source}`
}

/** The parcels of a source as callers see them, without the time of the scrape. */
const readParcels = async (source: string) =>
  (
    await sql`
      select source_parcel_id, owner_name, owner_names_all, geom::text, bbox::text, retired_at is not null as retired,
        scraped_at is not null as scraped, scrape_data - 'fetched_at' as scrape_data
      from parcels where source = ${source} order by 1`
  ).map((row) => ({ ...row }))

/** The changes of a source in their order, without what differs between two runs: ids and times. */
const readChanges = async (source: string) =>
  (
    await sql`
      select source_parcel_id, action, cause, changes - 'retired_at' as changes from parcel_changes
      where source = ${source} order by 1, version`
  ).map((row) => ({ ...row }))

const readLoad = async (id: string) => {
  const [row] = await sql`
    select l.status, l.counts, l.verdict, l.undo, w.status as work, w.result,
      (select count(*)::int from load_batches where load_id = l.id) as batches
    from loads l join work w using (id) where l.id = ${id}`
  return { ...row }
}
const read = async (source: string, id: string) => ({
  parcels: await readParcels(source),
  changes: await readChanges(source),
  load: await readLoad(id),
})

const crawl = async (source: string): Promise<string> => (await startCrawl(sql, source, 'operator')) ?? ''
const hasStatus = (id: string, status: string) => async () =>
  (await sql`select from loads where id = ${id} and status = ${status}`).length > 0
const order = (id: string) => sql.begin((tx) => undoCause(tx, id, 'operator'))

// Points at which a worker waits as long as a test holds the lock 18: each is in a transaction, after some of its writes.
await sql.unsafe(`
  create function wait_for_test() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(18); return new;
  end $$;
  create trigger compared before update on loads for each row
    when (old.judged_at is null and new.judged_at is not null) execute function wait_for_test();
  create trigger applied before update on load_batches for each row
    when (new.is_applied and not old.is_applied and new.number = 2) execute function wait_for_test();
  create trigger undone before update on work for each row
    when (old.kind = 'load' and old.cursor is not null and new.cursor <> old.cursor) execute function wait_for_test();
  alter table loads disable trigger compared;
  alter table load_batches disable trigger applied;
  alter table work disable trigger undone`)

/** Runs \`change\` while a worker waits at \`point\`. Then the lock is free again. */
const atPoint = async (table: string, point: string, begin: () => Promise<unknown>, change: () => Promise<unknown>) => {
  await sql.unsafe(`alter table ${table} enable trigger ${point}`)
  const blocker = connectDatabase(url, { max: 1 })
  try {
    await blocker.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(18)`
      await begin()
      await waitFor(
        async () =>
          (
            await sql`
              select from pg_locks where locktype = 'advisory' and objid = 18 and not granted
                and database = (select oid from pg_database where datname = current_database())`
          ).length > 0,
      )
      await change()
    })
  } finally {
    await blocker.end()
    await sql.unsafe(`alter table ${table} disable trigger ${point}`)
  }
}

/** The result of an uninterrupted crawl, and of an uninterrupted undo after it. */
const expected = await (async () => {
  await addSource('undisturbed')
  const worker = startWorker()
  const id = await crawl('undisturbed')
  await waitFor(hasStatus(id, 'applied'))
  const applied = await read('undisturbed', id)
  await order(id)
  await waitFor(hasStatus(id, 'undone'))
  worker.kill('SIGKILL')
  await worker.exited
  return { applied, undone: await read('undisturbed', id) }
})()

test('the undisturbed crawl changes each parcel as its portal says, and its undo restores all of them', () => {
  const { applied, undone } = expected
  expect(applied.load).toMatchObject({
    ...{ status: 'applied', work: 'done', batches: 0 },
    counts: { read: PARCELS - 30, updated: PARCELS - 30, retired: 30, inserted: 0, unchanged: 0, rejected: 0 },
  })
  expect(undone.load).toMatchObject({ status: 'undone', undo: { restored: PARCELS, retired: 0, kept: 0 } })
  expect(undone.parcels.filter(({ retired, owner_name }) => retired || !owner_name.startsWith('OLD '))).toEqual([])
})

const POINTS = [
  ['compared', 'loads', 'applied'],
  ['applied', 'load_batches', 'applied'],
  ['undone', 'work', 'undone'],
] as const

/** Works until the load of a crawl, or its undo, waits at the point. Returns its id and what was visible before that step. */
const reach = async (
  source: string,
  [point, table, end]: (typeof POINTS)[number],
  change: (id: string) => Promise<void>,
) => {
  await addSource(source)
  let id = ''
  if (end === 'undone') {
    id = await crawl(source)
    await waitFor(hasStatus(id, 'applied'))
  }
  await atPoint(
    table,
    point,
    async () => {
      if (end === 'undone') await order(id)
      else id = await crawl(source)
    },
    async () => {
      if (point === 'compared') {
        expect((await readParcels(source)).filter(({ owner_name }) => owner_name.startsWith('NEW'))).toEqual([])
        expect((await readChanges(source)).filter(({ action }) => action !== 'created')).toEqual([])
      }
      await change(id)
    },
  )
  return id
}

for (const [index, at] of POINTS.entries()) {
  const [point, , end] = at
  test(`a worker is killed while a load is ${point}: it ends as if nothing had happened, and no change is logged twice`, async () => {
    const source = `killed-${index}`
    const worker = startWorker()
    const id = await reach(source, at, async () => {
      worker.kill('SIGKILL')
      await worker.exited
    })
    const next = startWorker()
    await waitFor(hasStatus(id, end))
    expect(await read(source, id)).toEqual(expected[end])
    next.kill('SIGKILL')
    await next.exited
  })

  test(`a worker freezes while a load is ${point}: another one continues, and the first one writes nothing when it wakes`, async () => {
    const source = `frozen-${index}`
    const worker = startWorker()
    const id = await reach(source, at, async () => worker.kill('SIGSTOP'))
    const next = startWorker()
    await waitFor(hasStatus(id, end))
    next.kill('SIGKILL')
    await next.exited
    worker.kill('SIGCONT')
    // It does other work, so it is awake.
    const other = `after-${source}`
    await addSource(other)
    await waitFor(hasStatus(await crawl(other), 'applied'))
    expect(await read(source, id)).toEqual(expected[end])
    worker.kill('SIGKILL')
    await worker.exited
  })
}
