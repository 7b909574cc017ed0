import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import postgres from 'postgres'
import type { ScrapeTarget } from '../../../../adapters/adapter'
import { SCRAPE_ERROR_CODES, ScrapeError, type ScrapeErrorCode } from '../../../../adapters/scrape-error'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { createScrapeNow } from '../../../../src/scrape/fetch/scrape-now/scrape-now'
import { createScrapeParcel } from '../../../../src/scrape/fetch/scrape-parcel'
import { review } from '../../../../src/scrape/review/review'
import { insertSource, insertVendor } from '../../../jobs/job-rows'
import { createTestAdapter, createTestContext, scraped } from '../../../jobs/test-adapter'
import { createTestDatabase, waitFor } from '../../../support/servers'
import { createTestApp } from '../../test-app'

const { url } = await createTestDatabase()
/** Statements that the service sent to the database since the test began. */
const statements: string[] = []
const watched = postgres(url, { max: 5, onnotice: () => {}, debug: (_, statement) => void statements.push(statement) })
afterAll(() => watched.end({ timeout: 1 }))
const { app, sql, call, readKey, useAdapter } = await createTestApp({ sql: watched })
await insertVendor(sql, 'test', 2)
await insertSource(sql, 'elm', 'test')

const scrapeNow = (id: string, options: Parameters<typeof call>[1] = {}) =>
  call(`/v1/parcels/elm/${id}/scrape-now`, { method: 'POST', ...options })
const jobs = () => sql`select * from scrape_jobs order by id`
const runningJob = async (): Promise<string> => {
  await waitFor(async () => (await sql`select from scrape_jobs where status = 'running'`).length > 0)
  return (await sql<{ id: string }[]>`select id from scrape_jobs where status = 'running'`)[0]?.id ?? ''
}
const LOOK_UP = 'select id, overrides from scrape_jobs'
const STATE = 'select status, error_code as "errorCode"'
/** So many that, most likely, each of several requests has asked for it. */
const STATES_OF_EACH = 3
/**
 * Waits until this many requests share another's running job. Each request looks the job up once, and asks for its state again and again
 * when it has it. A look-up that was only sent may arrive after the job has ended.
 */
const sharing = (calls: number) => {
  const count = (part: string) => statements.filter((text) => text.includes(part)).length
  return waitFor(() => count(LOOK_UP) === calls && count(STATE) >= STATES_OF_EACH * calls)
}

/** Makes the portal wait until it is released. `targets` are the parcels requested from it. */
const holdScrapes = () => {
  const targets: ScrapeTarget[] = []
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const adapter = createTestAdapter(async (target) => {
    targets.push(target)
    await gate
    return scraped(target.sourceParcelId)
  })
  useAdapter(adapter)
  return { adapter, targets, letGo }
}

beforeEach(async () => {
  await sql`delete from scrape_jobs`
  await sql`delete from parcels`
  useAdapter(createTestAdapter())
  statements.length = 0
})

test('409: the vendor is paused; the portal gets no request and no job is created', async () => {
  const { targets, letGo } = holdScrapes()
  letGo()
  await sql`
    update vendor_concurrency set paused_at = now(), paused_until = '2099-01-01', pause_reason = 'It asked us', paused_by = 'x'
    where vendor = 'test'`
  try {
    const error = 'test is paused until 2099-01-01T00:00:00.000Z: It asked us'
    expect(await scrapeNow('7')).toMatchObject({ status: 409, body: { error } })
    expect(targets).toHaveLength(0)
    expect(await jobs()).toHaveLength(0)
  } finally {
    await sql`update vendor_concurrency set paused_at = null, paused_until = null, pause_reason = null, paused_by = null`
  }
})

describe('200', () => {
  test('an unknown parcel is scraped, added and returned with every field', async () => {
    const { status, body, text } = await scrapeNow('7')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      source: 'elm',
      source_parcel_id: '7',
      owner_name: 'OWNER OF 7',
      scraped_by: 'test',
      scrape_data: { parcel_number: '7', review_findings: [{ category: 'geometry' }] },
    })
    expect((await call('/v1/parcels/elm/7')).text).toBe(text)
    expect((await call('/v1/findings/elm/7')).body).toMatchObject({ count: 1, findings: [{ severity: 'low' }] })
  })

  test('fields that the scrape did not return keep their values', async () => {
    await upsertParcels(sql, 'elm', [{ sourceParcelId: '7', situsAddress: '123 N ALDER ST', ownerName: 'HOLLIS' }])
    expect((await scrapeNow('7', { body: {} })).body).toMatchObject({
      situs_address: '123 N ALDER ST',
      owner_name: 'OWNER OF 7',
    })
  })

  test('overrides reach the adapter', async () => {
    const { targets, letGo } = holdScrapes()
    letGo()
    const body = { vendorKey: 'R7', pacsPropId: 104_711, ownerName: 'JUNIPER', situsAddress: '1 ELM ST' }
    expect((await scrapeNow('7', { body })).status).toBe(200)
    expect(targets[0]?.overrides).toEqual(body)
  })

  test('it leaves a finished job with its caller and duration', async () => {
    await scrapeNow('7')
    expect(await jobs()).toMatchObject([
      {
        status: 'done',
        attempts: 1,
        requested_by: 'test-adm',
        lease_expires_at: null,
        duration_ms: expect.any(Number),
      },
    ])
  })

  test('parallel requests for one parcel share one scrape, within a process and across processes', async () => {
    const { targets, letGo } = holdScrapes()
    const elsewhere = createScrapeNow({
      sql,
      findAdapter: () => null,
      scrapeParcel: createScrapeParcel({ sql, findAdapter: () => null, createContext: createTestContext }),
      review,
    })
    const first = scrapeNow('7')
    await runningJob()
    const calls = [first, scrapeNow('7'), scrapeNow('7')]
    const shared = elsewhere({ source: 'elm', sourceParcelId: '7', overrides: {}, requester: null, key: null })
    await sharing(3)
    letGo()
    const answers = await Promise.all(calls)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await shared).toEqual({ parcel: answers[0]?.text ?? '' })
    expect(targets).toHaveLength(1)
    expect(await jobs()).toHaveLength(1)
  })

  test('a request with other overrides runs after the first', async () => {
    const { targets, letGo } = holdScrapes()
    const first = scrapeNow('7')
    await runningJob()
    const second = scrapeNow('7', { body: { vendorKey: 'R7' } })
    letGo()
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200])
    expect(targets.map(({ overrides }) => overrides)).toEqual([{}, { vendorKey: 'R7' }])
  })

  test("no more run in parallel than the vendor's maximum; the others wait", async () => {
    await sql`update vendor_concurrency set target_concurrency = 2, max_concurrency = 2 where vendor = 'test'`
    let running = 0
    let most = 0
    const two = Promise.withResolvers<void>()
    useAdapter(
      createTestAdapter(async ({ sourceParcelId }) => {
        most = Math.max(most, ++running)
        // The first scrape waits for a second one, however busy the machine is.
        if (running === 2) two.resolve()
        await two.promise
        await Bun.sleep(20)
        running--
        return scraped(sourceParcelId)
      }),
    )
    const answers = await Promise.all(['1', '2', '3', '4', '5'].map((id) => scrapeNow(id)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(most).toBe(2)
    await sql`update vendor_concurrency set max_concurrency = 1000 where vendor = 'test'`
  })
})

describe('pages of other parcels', () => {
  /** A portal that shows the requested parcel under its own numbers. */
  const showByKey = (numberOf = (key: string) => key) =>
    useAdapter(
      createTestAdapter(({ sourceParcelId, overrides }) => scraped(numberOf(overrides.vendorKey ?? sourceParcelId))),
    )
  const refusal = (shown: string, asked: string) => ({
    status: 502,
    body: { error: `wrong_parcel: the page is of parcel "${shown}", not of "${asked}"` },
  })

  test('a vendorKey of another parcel changes nothing and adds no parcel', async () => {
    showByKey()
    await upsertParcels(sql, 'elm', [{ sourceParcelId: '7', ownerName: 'HOLLIS' }, { sourceParcelId: '8' }])
    const before = (await call('/v1/parcels/elm/7')).text
    expect(await scrapeNow('7', { body: { vendorKey: '8' } })).toMatchObject(refusal('8', '7'))
    expect(await scrapeNow('9', { body: { vendorKey: '8' } })).toMatchObject(refusal('8', '9'))
    expect((await call('/v1/parcels/elm/7')).text).toBe(before)
    expect((await call('/v1/parcels/elm/9')).status).toBe(404)
    expect(await jobs()).toMatchObject([{ error_code: 'wrong_parcel' }, { error_code: 'wrong_parcel' }])
    // A vendorKey that leads to the parcel itself is accepted.
    showByKey((key) => (key === 'R-7' ? '7' : key))
    expect((await scrapeNow('7', { body: { vendorKey: 'R-7' } })).body).toMatchObject({ owner_name: 'OWNER OF 7' })
  })

  test("a parcel number stored with the parcel is accepted unless it is another parcel's id", async () => {
    showByKey()
    await upsertParcels(sql, 'elm', [{ sourceParcelId: '7' }])
    await sql`update parcels set scrape_data = '{"parcel_number": "R-7"}'`
    expect((await scrapeNow('7', { body: { vendorKey: 'R7' } })).status).toBe(200)
    expect(await scrapeNow('7', { body: { vendorKey: 'R8' } })).toMatchObject(refusal('R8', '7'))
    await upsertParcels(sql, 'elm', [{ sourceParcelId: 'r7' }])
    expect(await scrapeNow('7', { body: { vendorKey: 'R7' } })).toMatchObject(refusal('R7', '7'))
  })

  test('a parcel is not added again under another spelling of its id unless the portal uses that spelling', async () => {
    showByKey((key) => (key === '1-23' ? key : '12-3'))
    expect((await scrapeNow('12-3')).status).toBe(200)
    expect(await scrapeNow('12.3')).toMatchObject({
      status: 502,
      body: { error: 'wrong_parcel: the page is of parcel "12-3", which is stored as "12-3"' },
    })
    expect((await scrapeNow('1-23')).status).toBe(200)
    const ids = await sql`select source_parcel_id as id from parcels order by 1`
    expect(ids.map(({ id }) => id)).toEqual(['1-23', '12-3'])
  })

  test('"not modified" in response to an unconditional request is an error', async () => {
    useAdapter(createTestAdapter(() => 'not-modified'))
    expect(await scrapeNow('7')).toMatchObject({
      status: 502,
      body: { error: 'page_changed: the portal returned 304 to a request without conditions' },
    })
    expect(await sql`select from parcels`).toHaveLength(0)
  })
})

describe('404', () => {
  test('an unknown source', async () => {
    expect(await call('/v1/parcels/none/7/scrape-now', { method: 'POST' })).toMatchObject({
      status: 404,
      body: { error: 'unknown source: none' },
    })
  })

  test('the portal does not know the parcel', async () => {
    useAdapter(createTestAdapter(() => Promise.reject(new ScrapeError('not_found', 'no parcel 7'))))
    expect(await scrapeNow('7')).toMatchObject({ status: 404, body: { error: 'not_found: no parcel 7' } })
    expect(await sql`select from parcels`).toHaveLength(0)
  })
})

describe('502', () => {
  test('a failure of the portal or the network is named by kind; the job fails and nothing is stored', async () => {
    for (const code of SCRAPE_ERROR_CODES.filter((code): code is ScrapeErrorCode => code !== 'not_found')) {
      useAdapter(createTestAdapter(() => Promise.reject(new ScrapeError(code, 'what happened'))))
      expect(await scrapeNow('7')).toMatchObject({ status: 502, body: { error: `${code}: what happened` } })
    }
    expect((await jobs()).map((job) => job.error_code)).toEqual(
      [...SCRAPE_ERROR_CODES].filter((c) => c !== 'not_found'),
    )
    expect(await sql`select from parcels`).toHaveLength(0)
  })

  test('no adapter for the vendor', async () => {
    useAdapter(null)
    expect(await scrapeNow('7')).toMatchObject({
      status: 502,
      body: { error: 'bad_config: there is no adapter for the vendor test' },
    })
  })

  test('the time limit applies to the request that scrapes and to those that share it', async () => {
    const hasty = await createTestApp({ sql, scrapeLimitMs: 3_000 })
    const { adapter, letGo } = holdScrapes()
    hasty.useAdapter(adapter)
    const scrapeNow = () => hasty.call('/v1/parcels/elm/7/scrape-now', { method: 'POST' })
    const answers = await Promise.all([scrapeNow(), scrapeNow()])
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 502,
        body: { error: 'timeout: the scrape of elm.example took longer than 3 s' },
      })
    }
    letGo()
    expect(await jobs()).toMatchObject([{ status: 'error', error_code: 'timeout' }])
  })

  test('a job that an operator cancels stops immediately and stores nothing', async () => {
    const { letGo } = holdScrapes()
    const calls = [scrapeNow('7')]
    const id = await runningJob()
    calls.push(scrapeNow('7'))
    await sharing(1)
    expect((await call(`/v1/scrape-jobs/${id}`, { method: 'DELETE' })).status).toBe(200)
    // The portal is still held, so a response now did not wait for it.
    for (const answer of await Promise.all(calls)) {
      expect(answer).toMatchObject({ status: 502, body: { error: 'the scrape was cancelled' } })
    }
    letGo()
    expect(await jobs()).toMatchObject([{ status: 'error', error_message: 'cancelled by test-adm' }])
    expect(await sql`select from parcels`).toHaveLength(0)
  })
})

test('500: a bug in an adapter is not shown to the caller, and its job ends', async () => {
  useAdapter(createTestAdapter(() => Promise.reject(new TypeError('secret inside'))))
  expect(await scrapeNow('7')).toMatchObject({ status: 500, body: { error: 'internal error' } })
  expect(await jobs()).toMatchObject([{ status: 'error', error_message: 'internal error' }])
})

test('503: a scrape that fails because the database is busy is not counted against the portal', async () => {
  const fail = () => sql`do $$ begin raise exception 'canceling statement' using errcode = 'lock_not_available'; end $$`
  useAdapter(createTestAdapter(async () => (await fail()) as never))
  expect(await scrapeNow('7')).toMatchObject({ status: 503, body: { error: expect.stringContaining('is locked') } })
  expect(await jobs()).toMatchObject([{ status: 'error', error_message: 'the database is busy' }])
  const tries = sql`select from scrape_attempts a where a.job_id = j.id`
  expect([...(await sql`select error_code, exists (${tries}) as counted from scrape_jobs j`)]).toEqual([
    { error_code: 'server_unavailable', counted: false },
  ])
})

test('503: for a vendor that needs a browser, a job with the overrides is queued and named in the response', async () => {
  useAdapter(createTestAdapter(undefined, { needsBrowser: true }))
  const answer = await scrapeNow('7', { body: { vendorKey: 'R7' } })
  expect(answer.status).toBe(503)
  expect(answer.body).toEqual({ enqueued: true, error: expect.stringContaining('needs a browser') })
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await jobs()).toMatchObject([{ status: 'queued', overrides: { vendorKey: 'R7' }, requested_by: 'test-adm' }])
  // A later request without overrides keeps them.
  await scrapeNow('7')
  expect(await jobs()).toMatchObject([{ overrides: { vendorKey: 'R7' } }])
})

test('403: a read-only key', async () => {
  expect((await scrapeNow('7', { key: await readKey() })).status).toBe(403)
})

test('400: invalid overrides', async () => {
  const cases: [unknown, string][] = [
    [{ vendorKey: '' }, 'vendorKey must be text of 1 to 256 characters without control characters'],
    [{ pacsPropId: '7' }, 'pacsPropId must be a whole number of at least 0'],
    [{ key: '7' }, 'unknown field "key"; known are vendorKey, pacsPropId, ownerName, situsAddress'],
  ]
  for (const [body, error] of cases)
    expect(await scrapeNow('7', { body })).toMatchObject({ status: 400, body: { error } })
})

test('400: an id without a letter or digit, which no portal has', async () => {
  const error = expect.stringMatching(/^id must be a source_parcel_id: .*, with at least one letter or digit/)
  for (const id of ['!!!', '---', '...']) expect(await scrapeNow(id)).toMatchObject({ status: 400, body: { error } })
})

test('a real connection stays open as long as a scrape may take', async () => {
  const { targets, letGo } = holdScrapes()
  const idleTimeout = 1
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout, fetch: () => new Promise<Response>(() => {}) })
  app.listen({ port: 0, hostname: '127.0.0.1', idleTimeout })
  const scraping = fetch(`http://127.0.0.1:${app.server?.port}/v1/parcels/elm/7/scrape-now`, {
    method: 'POST',
    headers: { 'x-service-key': 'test-admin-key-0123456789' },
  })
  scraping.catch(() => {})
  await waitFor(() => targets.length === 1)
  // By then, a server with the same settings has hung up twice.
  for (let times = 0; times < 2; times++) await expect(fetch(other.url)).rejects.toThrow('closed')
  letGo()
  expect((await scraping).status).toBe(200)
  await Promise.all([app.stop(), other.stop(true)])
})
