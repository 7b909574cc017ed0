import { describe, expect, test } from 'bun:test'
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

const startJob = async (sourceParcelId: string, source = 'elm'): Promise<string> => {
  const [id = ''] = await enqueue(sql, source, [sourceParcelId])
  await sql`update scrape_jobs set status = 'running', attempts = 1, started_at = clock_timestamp() where id = ${id}`
  return id
}
const fail = async (sourceParcelId: string, code = 'not_found', attempt = 1) => {
  const id = await startJob(sourceParcelId)
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
  await sql`
    insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
    select id, 'stale-data', 'low', 'data-quality', '{}', 'Look.' from parcels where source_parcel_id = 'known'`
  await scrape('known', 'not-modified')
  expect(await findVanished('known')).toHaveLength(0)
  // The page is the same, so its other findings still apply.
  expect(await sql`delete from findings where rule = 'stale-data' returning rule`).toHaveLength(1)
})

test('a retired parcel, an unknown one, another failure, and an attempt that is no longer the current one add no finding', async () => {
  await fail('retired')
  await fail('unknown')
  await fail('busy', 'blocked')
  expect((await fail('busy', 'not_found', 2)).status).toBe('running')
  for (const id of ['retired', 'unknown', 'busy']) expect(await findVanished(id)).toHaveLength(0)
})

describe('a portal that knows nearly none of its parcels', () => {
  let sources = 0
  /** A source with 60 parcels, and the outcomes of its scrapes. */
  const openSource = async () => {
    const source = `ash-${++sources}`
    await insertSource(sql, source, 'test')
    const ids = Array.from({ length: 60 }, (_, index) => `p${index}`)
    await upsertParcels(
      sql,
      source,
      ids.map((sourceParcelId) => ({ sourceParcelId })),
    )
    const end = async (sourceParcelId: string, failureClass: string | null) => {
      const id = await startJob(sourceParcelId, source)
      const failed = { id, attempt: 1, code: 'not_found', message: 'gone', retryAfterMs: null, retryInMs: null }
      await storeFailure(sql, { source, sourceParcelId }, { ...failed, failureClass })
    }
    return {
      source,
      ids,
      findNothing: (sourceParcelId: string) => end(sourceParcelId, null),
      answer404: (sourceParcelId: string) => end(sourceParcelId, 'page_missing'),
      show: async (sourceParcelId: string) => {
        const job = { id: await startJob(sourceParcelId, source), attempt: 1 }
        await storeScrape(sql, {
          job,
          source,
          sourceParcelId,
          vendor: 'test',
          scraped: scraped(sourceParcelId),
          review,
        })
      },
      marked: async () =>
        (
          await sql<{ id: string }[]>`
            select p.source_parcel_id as id from findings f join parcels p on p.id = f.parcel_id
            where p.source = ${source} and rule = 'parcel-vanished' order by p.id`
        ).map(({ id }) => id),
    }
  }

  test('a few unknown parcels among others are vanished', async () => {
    const { ids, findNothing, show, marked } = await openSource()
    for (const id of ids.slice(0, 30)) await (Number(id.slice(1)) % 2 === 0 ? findNothing(id) : show(id))
    expect(await marked()).toHaveLength(15)
  })

  test('after its site moved, no parcel is marked; those that vanished before stay marked', async () => {
    const { ids, findNothing, answer404, show, marked } = await openSource()
    await findNothing('p20')
    for (const id of ids.slice(0, 20)) await show(id)
    for (const id of ids.slice(20)) await answer404(id)
    for (const id of ids.slice(0, 20)) await answer404(id)
    expect(await marked()).toEqual(['p20'])
  })

  test('the first ten scrapes of a source with a wrong URL leave no parcel marked', async () => {
    const { ids, findNothing, marked } = await openSource()
    for (const id of ids.slice(0, 10)) await findNothing(id)
    expect(await marked()).toEqual([])
  })

  test('scrapes that end at the same moment count each other', async () => {
    const { ids, answer404, marked } = await openSource()
    await Promise.all(ids.slice(0, 10).map(answer404))
    expect(await marked()).toEqual([])
  })

  test('when it shows parcels again, an unknown one is marked again', async () => {
    const { ids, answer404, show, marked } = await openSource()
    for (const id of ids.slice(0, 12)) await answer404(id)
    for (const id of ids.slice(12, 15)) await show(id)
    await answer404('p15')
    expect(await marked()).toEqual(['p15'])
  })
})
