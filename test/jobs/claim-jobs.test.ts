import { expect, test } from 'bun:test'
import { connectDatabase } from '../../core/postgres/database'
import { parcelHasJob } from '../../drizzle/queries/jobs/parcel-has-job'
import { claimJobs } from '../../drizzle/queries/jobs/run/claim-jobs'
import { handBackJobs } from '../../drizzle/queries/jobs/run/hand-back-jobs'
import { findScrapeTargets } from '../../drizzle/queries/sources/find-scrape-targets'
import { countRowsProcessed, countRowsRead } from '../drizzle/rows-read'
import { createTestDatabase } from '../support/servers'
import { enqueue, insertSource, insertVendor } from './job-rows'

const LEASE_MS = 60_000
const { url, sql } = await createTestDatabase()
for (const vendor of ['elm', 'oak']) {
  await insertVendor(sql, vendor, 6)
  await insertSource(sql, vendor, vendor)
}
const parcels = (count: number) => Array.from({ length: count }, () => Bun.randomUUIDv7())
const order = async (vendor: string, count: number) =>
  (await enqueue(sql, vendor, parcels(count))).map((id) => ({ id, attempts: 0 }))

test('processes that claim at the same moment do not start more jobs than the target allows', async () => {
  const processes = Array.from({ length: 6 }, () => connectDatabase(url, { max: 1 }))
  const sets = await Promise.all(processes.map(() => order('elm', 4)))
  const claims = await Promise.all(processes.map((process, index) => claimJobs(process, sets[index] ?? [], LEASE_MS)))
  expect(claims.flatMap(({ claimed }) => claimed)).toHaveLength(6)
  expect(claims.flatMap(({ full }) => full)).toHaveLength(18)
  await Promise.all(processes.map((process) => process.end()))
})

test('a vendor at its target does not delay other vendors, and its jobs continue in order', async () => {
  const [first, ...rest] = await order('elm', 3)
  const ofOak = await order('oak', 7)
  const { claimed, full } = await claimJobs(sql, [...rest, ...ofOak, ...(first ? [first] : [])], LEASE_MS)
  expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set(ofOak.slice(0, 6).map(({ id }) => id)))
  expect(full).toHaveLength(4)
  await sql`update scrape_jobs set status = 'done' where status = 'running' and vendor = 'elm'`
  expect((await claimJobs(sql, rest, LEASE_MS)).claimed).toHaveLength(2)
})

test('a job whose lease has expired leaves its place to another job of its vendor', async () => {
  await insertVendor(sql, 'ash', 1)
  await insertSource(sql, 'ash', 'ash')
  const [first, second] = await order('ash', 2)
  const claim = (job = first) => claimJobs(sql, job ? [job] : [], LEASE_MS)
  expect((await claim(first)).claimed).toHaveLength(1)
  expect((await claim(second)).full).toEqual([second?.id ?? ''])
  await sql`update scrape_jobs set lease_expires_at = now() - interval '1 s' where id = ${first?.id ?? ''}`
  expect((await claim(second)).claimed).toMatchObject([{ id: second?.id, attempt: 1 }])
})

test('a job that was attempted after its dispatch is not claimed by the old entry of the queue', async () => {
  await insertVendor(sql, 'fir', 1)
  await insertSource(sql, 'fir', 'fir')
  const [job] = await order('fir', 1)
  const claim = (attempts: number) => claimJobs(sql, [{ id: job?.id ?? '', attempts }], LEASE_MS)
  expect((await claim(0)).claimed).toHaveLength(1)
  await handBackJobs(sql, [{ id: job?.id ?? '', attempt: 1 }])
  expect(await claim(0)).toEqual({ claimed: [], full: [] })
  expect((await claim(1)).claimed).toMatchObject([{ attempt: 2 }])
})

test('the targets of jobs are found without reading their source, even with the statistics of an empty table', async () => {
  await sql`alter table parcels set (autovacuum_enabled = false)`
  await sql`insert into parcels (source, source_parcel_id) select 'elm', 'R-' || n from generate_series(1, 2000) n`
  const look = (ids: string[]) =>
    findScrapeTargets(
      sql,
      ids.map((sourceParcelId) => ({ source: 'elm', sourceParcelId })),
    )
  const spellings = Array.from({ length: 20 }, (_, n) => `r ${n + 1}`)
  const targets = await look(spellings)
  expect(targets.map(({ otherSpelling }) => otherSpelling).toSorted()).toEqual(
    spellings.map((id) => id.replace('r ', 'R-')).toSorted(),
  )
  expect(await countRowsProcessed(sql, look(spellings))).toBeLessThan(10 * spellings.length)
  await insertVendor(sql, 'target', spellings.length)
  await sql`update sources set vendor = 'target' where source = 'elm'`
  const ids = await enqueue(sql, 'elm', spellings)
  const deliveries = ids.map((id) => ({ id, attempts: 0 }))
  const { claimed } = await claimJobs(sql, deliveries, 10_000)
  const byId = (target: { sourceParcelId: string }) => target.sourceParcelId
  const sorted = (rows: typeof targets) => rows.toSorted((one, other) => byId(one).localeCompare(byId(other)))
  expect(sorted(claimed.map(({ target }) => target))).toEqual(sorted(await look(spellings)))
})

test('the other job of a parcel is found without reading the jobs of its source, even with the statistics of an empty table', async () => {
  await sql`alter table scrape_jobs set (autovacuum_enabled = false)`
  await sql`delete from scrape_jobs`
  await order('oak', 500)
  await sql`update scrape_jobs set status = 'running' where source = 'oak'`
  const twice = await sql<{ id: string }[]>`
    insert into scrape_jobs (source, source_parcel_id, vendor)
    select source, source_parcel_id, vendor from scrape_jobs where source = 'oak' order by id limit 10 returning id`
  const once = await order('oak', 10)
  const ids = [...twice, ...once].map(({ id }) => id)
  const runs = (status: 'queued' | 'running') => sql<{ id: string }[]>`
    select id from scrape_jobs j where id = any(${ids}) and ${parcelHasJob(sql, status)} order by id`
  expect((await runs('running')).map(({ id }) => id)).toEqual(twice.map(({ id }) => id).toSorted())
  expect(await runs('queued')).toHaveLength(20)
  for (const status of ['queued', 'running'] as const)
    expect(await countRowsRead(sql, runs(status), 'scrape_jobs')).toBeLessThan(3 * ids.length)
})
