import { beforeEach, expect, test } from 'bun:test'
import { claimJobs } from '../../../../drizzle/queries/jobs/run/claim-jobs'
import { failJob } from '../../../../drizzle/queries/jobs/run/fail-job'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { ADMIN_KEY, createTestApp } from '../../../http/test-app'
import { insertSource, insertVendor } from '../../../jobs/job-rows'
import { useAppInDom } from '../open-app'

const { app, sql } = await createTestApp()
await insertVendor(sql, 'oak', 4)
for (const source of ['elm', 'ash']) {
  await insertSource(sql, source, 'oak')
  await upsertParcels(
    sql,
    source,
    Array.from({ length: 12 }, (_, index) => ({ sourceParcelId: `${source}-${index}`, acreage: index })),
  )
}
/** Orders are answered when it resolves. */
let answersOrders = Promise.resolve()
const { open, find, gone, elements, type, requests } = useAppInDom(async (request) => {
  if (request.method === 'POST') await answersOrders
  return app.handle(request)
})
const click = async (selector: string, text = '') => (await find(selector, text)).click()
const figure = async (label: string) => (await find('.figure', label)).querySelector('dd')?.textContent
const statuses = async (source: string) =>
  Object.fromEntries(
    (
      await sql<{ status: string; n: number }[]>`
        select status, count(*)::int as n from scrape_jobs where source = ${source} group by status`
    ).map(({ status, n }) => [status, n]),
  )

beforeEach(async () => {
  await sql`delete from scrape_jobs`
})

test('an operator requests a county’s scrapes by a filter after an estimate, watches them, and cancels the rest', async () => {
  await open('/app/console/jobs', { key: ADMIN_KEY })
  await find('datalist option')
  await click('button', 'Request scrapes')
  type(await find('dialog select'), 'elm')
  type(await find('dialog input[type=number]'), '5')
  await click('dialog button[type=submit]:not([disabled])', 'Estimate')
  await find('dialog .notice', '7 parcels')
  await click('dialog button[type=submit]:not([disabled])', 'Request 7 scrapes')
  await gone('dialog')
  expect(await statuses('elm')).toEqual({ queued: 7 })
  await find('h2', '7 scrapes of Elm, OR requested')
  await find('.progress-words', '7 to go')
  expect(location.search).toBe('?source=elm')
  await find('tbody tr', 'elm-11')
  expect(await figure('Queued')).toBe('7')

  await click('button', 'Cancel 7 open jobs of Elm, OR')
  await click('dialog button.danger', 'Cancel 7 jobs')
  await find('.notice', '7 jobs cancelled')
  expect(await statuses('elm')).toEqual({ error: 7 })
  await find('.notice.warn', 'All jobs of Elm, OR have ended: 0 done, 7 failed')
})

/** Opens the dialog for ids of this source. Returns its field. */
const openIdsOfAsh = async (): Promise<Element> => {
  await open('/app/console/jobs?source=ash', { key: ADMIN_KEY })
  await find('datalist option')
  await click('button', 'Request scrapes')
  expect((await find<HTMLSelectElement>('dialog select')).value).toBe('ash')
  type(elements('dialog select')[1] as Element, 'ids')
  return find('dialog textarea')
}

test('each pasted id is requested once', async () => {
  type(await openIdsOfAsh(), ' ash-1\nash-2\n\nash-1\n')
  await click('dialog button[type=submit]:not([disabled])', 'Request 2 scrapes')
  await find('h2', '2 scrapes of Elm, OR requested')
  expect(await statuses('ash')).toEqual({ queued: 2 })
})

test('an order is sent once, also if somebody types while it is on its way', async () => {
  type(await openIdsOfAsh(), 'ash-1')
  const { promise, resolve } = Promise.withResolvers<void>()
  answersOrders = promise
  await click('dialog button[type=submit]:not([disabled])', 'Request 1 scrape')
  await find('dialog button[aria-busy]')
  type(await find('dialog textarea'), 'ash-1\nash-2')
  await find('dialog button[disabled]', 'Request 2 scrapes')
  resolve()
  await find('h2', '1 scrape of Elm, OR requested')
  expect(requests.filter((one) => one === 'POST /v1/scrape-jobs')).toHaveLength(1)
})

test('failed jobs of one reason are listed and retried together', async () => {
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor) select 'elm', 'elm-' || n, 'oak' from generate_series(0, 3) n`
  const rows = await sql<{ id: string; attempts: number }[]>`select id, attempts from scrape_jobs`
  for (const { id, sourceParcelId } of (await claimJobs(sql, rows, 60_000)).claimed) {
    const code = sourceParcelId === 'elm-0' ? 'blocked' : 'timeout'
    await failJob(sql, { id, attempt: 1, code, message: code, retryAfterMs: null, retryInMs: null })
  }
  await open('/app/console/jobs?source=elm&failure_class=timeout', { key: ADMIN_KEY })
  await find('tbody tr', 'elm-1')
  expect(elements('tbody tr')).toHaveLength(3)
  expect(elements('tbody tr', 'elm-0')).toHaveLength(0)
  await click('button', 'Retry all of Elm, OR that failed: Timeout')
  await find('.notice', '3 queued')
})

test('rows keep their place when one is cancelled, even if new jobs have been added', async () => {
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor) select 'elm', 'elm-' || n, 'oak' from generate_series(0, 3) n`
  await open('/app/console/jobs', { key: ADMIN_KEY })
  await find('tbody tr', 'elm-3')
  const ids = () => elements('tbody th a').map((link) => link.textContent)
  const before = ids()
  expect(before).toHaveLength(4)
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor) values ('ash', 'ash-1', 'oak')`
  await click('button[aria-label="Cancel the job for elm-1"]')
  await find('button[aria-label="Retry the job for elm-1"]')
  expect(ids()).toEqual(before)
  await click('button[aria-label="Retry the job for elm-1"]:not([disabled])')
  // The new job comes first.
  await find('tbody tr:first-child', 'elm-1')
  expect(ids()[1]).toBe('ash-1')
})
