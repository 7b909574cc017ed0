import { expect, test } from 'bun:test'
import type { Scrape } from '../../../adapters/scrape'
import { readStoredParcels } from '../../../drizzle/queries/parcels/read-stored-parcels'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { type Finding, review } from '../../../src/scrape/review/review'
import type { ReviewInput } from '../../../src/scrape/review/rule'
import { type ScrapeToStore, type StoreOutcome, storeScrape } from '../../../src/scrape/store/store-scrape'
import { cancel, enqueue, findJob, insertSource } from '../../jobs/job-rows'
import { scraped } from '../../jobs/test-adapter'
import { createTestDatabase, waitFor } from '../../support/servers'

const { sql } = await createTestDatabase()
await insertSource(sql, 'elm', 'test')

const noReview = () => []
const store = (
  sourceParcelId: string,
  result: ScrapeToStore['scraped'],
  more: { job?: ScrapeToStore['job']; review?: (input: ReviewInput) => Finding[] } = {},
) =>
  storeScrape(sql, {
    job: null,
    source: 'elm',
    sourceParcelId,
    vendor: 'test',
    scraped: result,
    review: noReview,
    ...more,
  })

const findParcel = async (id: string) => {
  const [row] = await sql`select * from parcels where source = 'elm' and source_parcel_id = ${id}`
  return row
}
const inOutbox = async (id: string) => {
  const rows = await sql`select from search_outbox o join parcels p on p.id = o.id where p.source_parcel_id = ${id}`
  return rows.length === 1
}
/** Creates a running job of a parcel, as after a worker's claim. */
const startJob = async (parcel: string) => {
  const [id = ''] = await enqueue(sql, 'elm', [parcel])
  await sql`update scrape_jobs set status = 'running', attempts = 1, started_at = now() where id = ${id}`
  return { id, attempt: 1 }
}

/** Waits until this many statements of this database wait for a lock. */
const untilWaiting = (statements: number) =>
  waitFor(async () => {
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return row?.n === statements
  })

test('a parcel that the service does not know is added, with its fields, its scrape and a row in the search outbox', async () => {
  const fetchedAt = '2026-01-02T03:04:05.678Z'
  const outcome = await store('new', {
    fields: { ownerName: 'ADA ELM', assessedValue: 5 },
    scrape: { parcel_number: 'new', fetched_at: fetchedAt, data_as_of: '2026', data_as_of_source: 'page-footer' },
  })
  expect(outcome).toBe('stored')
  expect(await findParcel('new')).toMatchObject({
    owner_name: 'ADA ELM',
    assessed_value: '5',
    scrape_data: { parcel_number: 'new', fetched_at: fetchedAt },
    scraped_by: 'test',
    scrape_data_as_of: '2026',
    scrape_data_as_of_source: 'page-footer',
    scraped_at: expect.any(Date),
  })
  expect(await inOutbox('new')).toBe(true)
  expect([...(await sql`select last_known_data_as_of as known from sources where source = 'elm'`)]).toEqual([
    { known: '2026' },
  ])
})

test('a new parcel is written once: the log has only its creation, and the review sees the stored parcel', async () => {
  const inputs: ReviewInput[] = []
  const review = (input: ReviewInput): Finding[] => {
    inputs.push(input)
    return []
  }
  const ring = [
    [-120.5, 45],
    [-120.25, 45],
    [-120.25, 45.125],
    [-120.5, 45],
  ]
  const fields = {
    ...{ ownerName: `O'NEIL "ADA" \\ {ELM}`, situsAddress: '1 ELM\tST', isAgricultural: false, acreage: 0.1 },
    ...{ assessedValue: 9_007_199_254_740_991, lon: -120.4, lat: 45.05 },
    geom: { type: 'MultiPolygon' as const, coordinates: [[ring]] },
  }
  const job = await startJob('once')
  await store('once', scraped('once', { fields, scrape: { parcel_number: 'once', fetched_at: '2026-01-01' } }), {
    job,
    review,
  })
  const stored = await sql.begin((tx) => readStoredParcels(tx, 'elm', ['once']))
  const { scrapeData, changes, ...values } = stored.get('once') ?? { scrapeData: {}, changes: [] }
  expect(inputs[0]?.parcel).toMatchObject(values)
  expect(scrapeData).toEqual({ parcel_number: 'once', fetched_at: '2026-01-01' })
  expect(changes).toEqual([{ at: expect.any(String), action: 'created', cause: 'scrape', causeId: job.id }])
  expect(inputs[0]?.changes).toEqual([{ ...changes[0], at: expect.any(String) }] as never)
})

test('a scrape of a parcel that a load inserts in the meantime waits for it, and keeps its fields', async () => {
  const isLoaded = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const load = sql.begin(async (tx) => {
    await upsertParcels(tx, 'elm', [{ sourceParcelId: 'raced', ownerName: 'BEFORE', situsCity: 'Elmville' }])
    isLoaded.resolve()
    await end.promise
  })
  await isLoaded.promise
  const storing = store('raced', scraped('raced'))
  await untilWaiting(1)
  end.resolve()
  await load
  expect(await storing).toBe('stored')
  expect(await findParcel('raced')).toMatchObject({
    owner_name: 'OWNER OF raced',
    situs_city: 'Elmville',
    scrape_data: { parcel_number: 'raced' },
  })
})

test('a scrape with fewer fields removes nothing', async () => {
  const geom = {
    type: 'MultiPolygon' as const,
    coordinates: [
      [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    ],
  }
  await store('less', {
    ...scraped('less', { fields: { ownerName: 'ADA ELM', situsCity: 'Elmville', geom } }),
    scrape: {
      parcel_number: 'less',
      fetched_at: '2026-01-01T00:00:00.000Z',
      sale_history: [{ price: 7 }],
      data_as_of: '2026',
    },
  })
  await store('less', {
    fields: { ownerName: 'BO BIRCH' },
    scrape: { parcel_number: 'less', fetched_at: '2026-02-01T00:00:00.000Z' },
  })
  expect(await findParcel('less')).toMatchObject({
    owner_name: 'BO BIRCH',
    situs_city: 'Elmville',
    geom,
    scrape_data_as_of: '2026',
    scrape_data: {
      fetched_at: '2026-02-01T00:00:00.000Z',
      sale_history: [{ price: 7 }],
      sale_history_observed_at: '2026-01-01T00:00:00.000Z',
    },
  })
})

const SECTIONS = {
  owners: [{ name: 'ADA ELM' }],
  statements: [{ tax_year: 2025, billed: 4_711, paid: 4_711 }],
  valuation_history: [{ year: 2025, assessed: 250_000 }],
  sale_history: [{ sold_on: '2019-05-06', price: 230_000 }],
  exemptions: [{ code: 'HS' }],
  improvements: [{ type: 'DWELLING', year_built: 1998 }],
} satisfies Partial<Scrape>

for (const section of Object.keys(SECTIONS) as (keyof typeof SECTIONS)[]) {
  test(`${section} that are missing from a later scrape stay as they were, whatever else it contains`, async () => {
    const id = `without-${section}`
    const { [section]: _, ...others } = SECTIONS
    const changed = Object.fromEntries(Object.keys(others).map((name) => [name, []]))
    const [first, second] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'] as const
    await store(id, { fields: {}, scrape: { parcel_number: id, fetched_at: first, ...SECTIONS } })
    await store(id, { fields: {}, scrape: { parcel_number: id, fetched_at: second, ...changed } })
    expect((await findParcel(id))?.scrape_data).toEqual({
      ...{ parcel_number: id, fetched_at: second, ...changed, [section]: SECTIONS[section] },
      sale_history_observed_at: section === 'sale_history' ? first : second,
    })
  })
}

test('a 304 counts as a scrape: scraped_at and fetched_at change, and nothing else', async () => {
  await store('same', scraped('same'))
  await sql`update parcels set scraped_at = '2026-01-01' where source_parcel_id = 'same'`
  await sql`delete from search_outbox`
  const before = await findParcel('same')
  expect(await store('same', 'not-modified')).toBe('stored')
  const after = await findParcel('same')
  expect(after?.scraped_at.getTime()).toBeGreaterThan(before?.scraped_at.getTime())
  const { scraped_at, scrape_data } = after ?? {}
  expect({ ...after, scraped_at: null }).toEqual({
    ...{ ...before, scraped_at: null, scrape_data: { ...before?.scrape_data, fetched_at: scraped_at.toISOString() } },
  } as never)
  expect(scrape_data.fetched_at > before?.scrape_data.fetched_at).toBe(true)
  expect(await inOutbox('same')).toBe(false)
})

test('unchanged findings do not touch updated_at or the outbox', async () => {
  await store('again', scraped('again'))
  await sql`update parcels set updated_at = '2026-01-01' where source_parcel_id = 'again'`
  await sql`delete from search_outbox`
  await store('again', scraped('again'))
  expect((await findParcel('again'))?.updated_at).toEqual(new Date('2026-01-01'))
  await store(
    'again',
    scraped('again', { scrape: { parcel_number: 'again', fetched_at: '2026-03-01T00:00:00.000Z', exemptions: [] } }),
  )
  expect((await findParcel('again'))?.updated_at).not.toEqual(new Date('2026-01-01'))
  expect(await inOutbox('again')).toBe(false)
})

test('the job becomes done in the same transaction as its result', async () => {
  const job = await startJob('with-job')
  expect(await store('with-job', scraped('with-job'), { job })).toBe('stored')
  expect(await findJob(sql, job.id)).toMatchObject({
    status: 'done',
    error_message: null,
    finished_at: expect.any(Date),
  })
  expect([...(await sql`select attempt, outcome from scrape_attempts where job_id = ${job.id}`)]).toEqual([
    { attempt: 1, outcome: 'done' },
  ])
})

test('a cancelled attempt, and one that another worker took over, write nothing', async () => {
  const cancelled = await startJob('cancelled')
  await cancel(sql, cancelled.id)
  const late = await startJob('late')
  await sql`update scrape_jobs set attempts = 2 where id = ${late.id}`
  expect(await store('cancelled', scraped('cancelled'), { job: cancelled })).toBe('superseded')
  expect(await store('late', scraped('late'), { job: late })).toBe('superseded')
  expect(await findParcel('cancelled')).toBeUndefined()
  expect(await findParcel('late')).toBeUndefined()
  expect((await findJob(sql, cancelled.id)).status).toBe('error')
  expect((await findJob(sql, late.id)).status).toBe('running')
})

test('the review sees the old and the new parcel; its findings are stored, kept while they last, and part of the scrape', async () => {
  const inputs: ReviewInput[] = []
  const review = (input: ReviewInput): Finding[] => {
    inputs.push(input)
    return [{ rule: 'r', subject: '', severity: 'low', category: 'tax', evidence: { n: 1 }, suggestedAction: 'Look.' }]
  }
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'reviewed', ownerName: 'BEFORE' }])
  await store('reviewed', scraped('reviewed', { fields: { ownerName: 'FIRST' } }), { review })
  expect(inputs[0]).toMatchObject({ parcel: { ownerName: 'FIRST' }, previous: null, state: 'OR', cadence: 'annual' })
  const findings = () =>
    sql`select f.id, generated_at from findings f join parcels p on p.id = parcel_id where source_parcel_id = 'reviewed'`
  const [first] = await findings()
  expect((await findParcel('reviewed'))?.scrape_data.review_findings).toEqual([
    { severity: 'low', category: 'tax', evidence: { n: 1 }, suggested_action: 'Look.' },
  ])

  await store('reviewed', scraped('reviewed', { fields: { ownerName: 'SECOND' } }), { review })
  expect(inputs[1]).toMatchObject({
    parcel: { ownerName: 'SECOND' },
    previous: { ownerName: 'FIRST', findings: [{ rule: 'r', evidence: { n: 1 } }] },
  })
  expect([...(await findings())]).toEqual([first] as never)

  await store('reviewed', scraped('reviewed'))
  expect([...(await findings())]).toEqual([])
  expect((await findParcel('reviewed'))?.scrape_data.review_findings).toBeUndefined()
})

test("a portal that goes back to last year's data gives its parcel a finding until it is current again", async () => {
  const show = (year: string) => {
    const scrape = { parcel_number: 'back', fetched_at: new Date().toISOString(), data_as_of: year }
    return store('back', { fields: {}, scrape: { ...scrape, data_as_of_source: 'latest-tax-year' } }, { review })
  }
  const findings = async () =>
    (
      await sql<{ id: string; evidence: unknown }[]>`
        select f.id, evidence from findings f join parcels p on p.id = parcel_id
        where source_parcel_id = 'back' and rule = 'older-data'`
    ).map(({ id, evidence }) => ({ id, evidence }))
  await show('2026')
  expect(await findings()).toEqual([])
  await show('2025')
  const first = await findings()
  expect(first.map(({ evidence }) => evidence)).toEqual([{ data_as_of: '2025', formerly: '2026' }])
  await show('2025')
  expect(await findings()).toEqual(first)
  await show('2026')
  expect(await findings()).toEqual([])
})

test('an invalid boundary is a changed page, and nothing is stored', async () => {
  const geom = {
    type: 'MultiPolygon' as const,
    coordinates: [
      [
        [
          [0, 0],
          [1, 0],
          [0, 0],
        ],
      ],
    ],
  }
  await expect(store('flat', scraped('flat', { fields: { geom } }))).rejects.toMatchObject({ code: 'page_changed' })
  expect(await findParcel('flat')).toBeUndefined()
})

type Race = (id: string, parcel: string) => Promise<[outcome: StoreOutcome, wasCancelled: boolean]>

const complete = (id: string, parcel: string) => store(parcel, scraped(parcel), { job: { id, attempt: 1 } })

let storeMs = 2
/** Cancels at a random moment: before, during or after the store. */
const raceBySomeTime: Race = async (id, parcel) => {
  const startedAt = performance.now()
  return Promise.all([
    complete(id, parcel).finally(() => {
      storeMs = 0.9 * storeMs + 0.1 * (performance.now() - startedAt)
    }),
    Bun.sleep(Math.random() * 1.5 * storeMs).then(() => cancel(sql, id)),
  ])
}

/** Cancels in the middle of the store, which has locked its job and waits to write the parcel. */
const cancelWhileStoring: Race = async (id, parcel) => {
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
  const holding = sql.begin(async (tx) => {
    await tx`lock table parcels in exclusive mode`
    hold()
    await isLetGo
  })
  await isHeld
  const storing = complete(id, parcel)
  await untilWaiting(1)
  const cancelling = cancel(sql, id)
  await untilWaiting(2)
  letGo()
  await holding
  return Promise.all([storing, cancelling])
}

/** Stores in the middle of the cancel, which is written but not committed. */
const storeWhileCancelling: Race = async (id, parcel) => {
  let storing: ReturnType<typeof complete> | undefined
  const wasCancelled = await sql.begin(async (tx) => {
    const isCancelled = await cancel(tx, id)
    storing = complete(id, parcel)
    await untilWaiting(1)
    return isCancelled
  })
  return [(await storing) ?? 'stored', wasCancelled]
}

test('in 200 races of cancel against completion, the job row and the parcel always agree', async () => {
  const parcels = Array.from({ length: 200 }, (_, index) => `race-${index}`)
  const ids = await enqueue(sql, 'elm', parcels)
  await sql`update scrape_jobs set status = 'running', attempts = 1, started_at = now() where id = any(${ids}::uuid[])`
  const parcelOf = new Map(
    (
      await sql<
        { id: string; parcel: string }[]
      >`select id, source_parcel_id as parcel from scrape_jobs where id = any(${ids}::uuid[])`
    ).map(({ id, parcel }) => [id, parcel]),
  )
  let cancelled = 0
  for (const [index, id] of ids.entries()) {
    const parcel = parcelOf.get(id) ?? ''
    const race = [cancelWhileStoring, storeWhileCancelling][index % 8] ?? raceBySomeTime
    const [outcome, wasCancelled] = await race(id, parcel)
    expect(outcome).toBe(wasCancelled ? 'superseded' : 'stored')
    expect((await findJob(sql, id)).status).toBe(wasCancelled ? 'error' : 'done')
    expect((await findParcel(parcel)) === undefined).toBe(wasCancelled)
    if (wasCancelled) cancelled++
  }
  // Otherwise there was no race: 25 of each kind met in the middle.
  expect(cancelled).toBeGreaterThan(20)
  expect(cancelled).toBeLessThan(180)
})

test('the date of the data of a source advances with a scrape, and an older scrape does not move it back', async () => {
  await sql`update sources set last_known_data_as_of = null where source = 'elm'`
  const known = async (year: string) => {
    const scrape = { parcel_number: 'dated', fetched_at: new Date().toISOString(), data_as_of: year }
    await store('dated', { fields: {}, scrape: { ...scrape, data_as_of_source: 'latest-tax-year' } })
    return (await sql`select last_known_data_as_of as known from sources where source = 'elm'`)[0]?.known
  }
  expect([await known('2025'), await known('2026'), await known('2025')]).toEqual(['2025', '2026', '2026'])
})
