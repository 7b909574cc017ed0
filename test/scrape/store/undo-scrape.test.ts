import { expect, test } from 'bun:test'
import { pino } from 'pino'
import type { Scrape } from '../../../adapters/scrape'
import { findFormerParcel } from '../../../drizzle/queries/changes/find-former-parcel'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { undoCause } from '../../../src/orders/order-on-load'
import { review } from '../../../src/scrape/review/review'
import { storeScrape } from '../../../src/scrape/store/store-scrape'
import { createLoadRunner } from '../../../src/work/load-runner'
import { takeWork } from '../../../src/work/take-work'
import { enqueue, insertSource } from '../../jobs/job-rows'
import { createTestDatabase, waitFor } from '../../support/servers'

const { sql } = await createTestDatabase()
await insertSource(sql, 'elm', 'test')
const log = pino({ level: 'silent' })

/** Stores a scrape of a job, and returns the job. */
const scrapeAs = async (
  sourceParcelId: string,
  ownerName: string,
  page: Omit<Scrape, 'fetched_at'>,
): Promise<string> => {
  const [id = ''] = await enqueue(sql, 'elm', [sourceParcelId])
  await sql`update scrape_jobs set status = 'running', attempts = 1, started_at = now() where id = ${id}`
  const scrape = { ...page, fetched_at: new Date().toISOString() }
  const scraped = { fields: { ownerName }, scrape }
  await storeScrape(sql, { review, source: 'elm', job: { id, attempt: 1 }, sourceParcelId, vendor: 'test', scraped })
  return id
}
const undo = async (id: string): Promise<void> => {
  await sql.begin((tx) => undoCause(tx, id, 'operator'))
  expect(
    await takeWork({ sql, runner: createLoadRunner({ log }), log }, { signal: new AbortController().signal }),
  ).toBe(true)
}
const read = async (sourceParcelId: string) => {
  const [parcel] = await sql`
    select owner_name, scraped_at, scraped_by, scrape_data, array(
        select rule || ' ' || evidence::text from findings f where f.parcel_id = p.id order by 1
      ) as findings
    from parcels p where source_parcel_id = ${sourceParcelId}`
  return { ...parcel }
}
const untilLater = (at: Date) => waitFor(async () => (await sql`select now() > ${at} as is_later`)[0]?.is_later)

test('undoing the first scrape of a parcel leaves it as loaded from its file: not scraped, without scrape data and findings', async () => {
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'first', ownerName: 'ADA ELM' }], { cause: 'ingest', id: null })
  const before = await read('first')
  const job = await scrapeAs('first', 'BO BIRCH', { parcel_number: 'first', http_etag: 'x', data_as_of: '2019' })
  expect(await read('first')).toMatchObject({ scraped_by: 'test', findings: { length: expect.any(Number) } })
  expect((await read('first')).findings).not.toEqual([])
  await undo(job)
  expect(await read('first')).toEqual(before)
  expect(before).toMatchObject({ scraped_at: null, scrape_data: {}, findings: [] })
})

test('undoing a later scrape restores the time, the data and the findings of the scrape before it', async () => {
  await scrapeAs('second', 'ADA ELM', { parcel_number: 'second', data_as_of: '2019', http_etag: 'old' })
  const before = await read('second')
  expect(before.findings).toHaveLength(2)
  await untilLater(before.scraped_at)
  const job = await scrapeAs('second', 'BO BIRCH', { parcel_number: 'second', data_as_of: '2026', http_etag: 'new' })
  const after = await read('second')
  expect(after.findings).toContainEqual(expect.stringContaining('owner-changed'))
  await undo(job)
  const { scrape_data: data, ...restored } = await read('second')
  const { http_etag: _, fetched_at: __, ...former } = before.scrape_data
  expect(restored).toEqual({
    owner_name: 'ADA ELM',
    scraped_by: 'test',
    scraped_at: expect.any(Date),
    findings: before.findings,
  })
  expect(Math.abs(restored.scraped_at - before.scraped_at)).toBeLessThan(5_000)
  expect(restored.scraped_at < after.scraped_at).toBe(true)
  // The next scrape must read the page, although it has not changed since the scrape that was undone.
  expect(data).toEqual({ ...former, fetched_at: restored.scraped_at.toISOString() })
})

test('undoing a scrape keeps the time and the findings of a newer one', async () => {
  const job = await scrapeAs('third', 'ADA ELM', { parcel_number: 'third', data_as_of: '2019' })
  await untilLater((await read('third')).scraped_at)
  await scrapeAs('third', 'BO BIRCH', { parcel_number: 'third', data_as_of: '2026' })
  const { scraped_at: at, owner_name: owner } = await read('third')
  await undo(job)
  expect(await read('third')).toMatchObject({ scraped_at: at, owner_name: owner })
})

test('an undo of the undo of a scrape brings back its time, its data and its findings', async () => {
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'again', ownerName: 'ADA ELM' }], { cause: 'ingest', id: null })
  const job = await scrapeAs('again', 'BO BIRCH', { parcel_number: 'again', data_as_of: '2019' })
  const { scraped_at: at, scrape_data: data, ...scraped } = await read('again')
  await undo(job)
  expect(await read('again')).toMatchObject({ owner_name: 'ADA ELM', scraped_at: null })
  const [undone] = await sql`select id from work where payload ->> 'cause_id' = ${job}`
  await undo(undone?.id)
  const { scraped_at: atAgain, scrape_data: dataAgain, ...again } = await read('again')
  expect(again).toEqual(scraped)
  expect(Math.abs(atAgain - at)).toBeLessThan(5_000)
  expect(dataAgain).toEqual({ ...data, fetched_at: atAgain.toISOString() })
})

test('as_of before an undo has the scrape that was undone, and as_of after it does not, also when there is a newer scrape', async () => {
  const asOf = async (at: string) =>
    JSON.parse((await findFormerParcel(sql, { source: 'elm', id: 'fourth' }, at))?.body ?? '{}') as Record<
      string,
      unknown
    >
  const now = async () => {
    await sql`select pg_sleep(0.002)`
    return (await sql<{ now: string }[]>`select iso_utc(clock_timestamp()) as now, pg_sleep(0.002)`)[0]?.now ?? ''
  }
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'fourth', ownerName: 'ADA ELM' }], { cause: 'ingest', id: null })
  const job = await scrapeAs('fourth', 'BO BIRCH', { parcel_number: 'fourth', data_as_of: '2019' })
  const scraped = await now()
  await undo(job)
  const undone = await now()
  for (const _ of ['not scraped', 'scraped again']) {
    const { scraped_at, ...then } = await asOf(scraped)
    expect(then).toMatchObject({ owner_name: 'BO BIRCH', scraped_by: 'test', scrape_data_as_of: '2019' })
    expect(then.scrape_data).toMatchObject({ data_as_of: '2019', fetched_at: expect.any(String) })
    expect(String(scraped_at) < scraped).toBe(true)
    const none = { scraped_at: null, scraped_by: null, scrape_data: {}, scrape_data_as_of: null }
    expect(await asOf(undone)).toMatchObject({ owner_name: 'ADA ELM', ...none })
    await scrapeAs('fourth', 'CY CEDAR', { parcel_number: 'fourth', data_as_of: '2026' })
  }
})
