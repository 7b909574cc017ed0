import { expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { review } from '../../../src/scrape/review/review'
import { storeFailure } from '../../../src/scrape/store/store-failure'
import { type ScrapeToStore, storeScrape } from '../../../src/scrape/store/store-scrape'
import { enqueue, findJob, insertSource } from '../../jobs/job-rows'
import { scraped } from '../../jobs/test-adapter'
import { createTestDatabase } from '../../support/servers'

const { sql } = await createTestDatabase()
await insertSource(sql, 'elm', 'test')
await upsertParcels(
  sql,
  'elm',
  ['known', 'retired', 'busy'].map((sourceParcelId) => ({ sourceParcelId })),
)
await sql`update parcels set retired_at = now() where source_parcel_id = 'retired'`

const fail = async (sourceParcelId: string, code = 'not_found', attempt = 1) => {
  const [id = ''] = await enqueue(sql, 'elm', [sourceParcelId])
  await sql`update scrape_jobs set status = 'running', attempts = 1, started_at = now() where id = ${id}`
  const failed = { id, attempt, code, message: `${code}: 7`, retryAfterMs: null, retryInMs: null }
  await storeFailure(sql, { source: 'elm', sourceParcelId }, failed)
  return findJob(sql, id)
}
const scrape = (sourceParcelId: string, result: ScrapeToStore['scraped']) =>
  storeScrape(sql, { job: null, source: 'elm', sourceParcelId, vendor: 'test', scraped: result, review })
const findVanished = (id: string) => sql<{ id: string; evidence: Record<string, unknown> }[]>`
  select f.id, f.evidence from findings f join parcels p on p.id = f.parcel_id
  where p.source_parcel_id = ${id} and rule = 'parcel-vanished'`

test('a listed parcel that its portal does not know gets a finding, once, until the portal knows it again', async () => {
  expect((await fail('known')).status).toBe('error')
  const [first] = await findVanished('known')
  expect(first?.evidence).toEqual({ portal: 'not_found', last_scraped_at: null })
  await fail('known')
  expect([...(await findVanished('known'))] as unknown[]).toEqual([first])
  await scrape('known', scraped('known'))
  expect(await findVanished('known')).toHaveLength(0)

  await fail('known')
  const [second] = await findVanished('known')
  expect(second?.evidence.last_scraped_at).toBeString()
  await scrape('known', 'not-modified')
  expect(await findVanished('known')).toHaveLength(0)
})

test('a retired parcel, an unknown one, another failure, and an attempt that is no longer the current one add no finding', async () => {
  await fail('retired')
  await fail('unknown')
  await fail('busy', 'blocked')
  expect((await fail('busy', 'not_found', 2)).status).toBe('running')
  for (const id of ['retired', 'unknown', 'busy']) expect(await findVanished(id)).toHaveLength(0)
})
