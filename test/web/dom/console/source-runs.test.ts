import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { noteSourceProblems } from '../../../../drizzle/queries/sources/source-runs'
import { ADMIN_KEY, createTestApp } from '../../../http/test-app'
import { insertSource, insertVendor } from '../../../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../../../support/deadlines'
import { waitFor } from '../../../support/servers'
import { insertCrawl } from '../../../work/crawls/crawl-rows'
import { useAppInDom } from '../open-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

describe('why the scrapes of a source fail', async () => {
  const { app, sql } = await createTestApp()
  const { open, find, texts, elements, requests } = useAppInDom(app.handle)
  await insertVendor(sql, 'test', 2)
  await insertSource(sql, 'elm', 'test')
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, error_code, failure_class, finished_at)
    select 'elm', 'P' || ago, 'test', status::job_status, code, class, now() - ago * interval '1 minute'
    from (values ('done', null, null, 9), ('error', 'timeout', null, 8), ('error', 'not_found', 'redirected', 7),
      ('error', 'page_changed', null, 6), ('error', 'page_changed', null, 5)) as ended (status, code, class, ago)`
  await noteSourceProblems(sql)

  test('the source’s page shows the last scrapes as a strip with words, and the failures by class', async () => {
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    const strip = await find('.run-strip svg')
    expect(strip.getAttribute('aria-label')).toBe('Last 5 scrapes: 2 changed page, 1 redirected elsewhere, 1 timeout')
    expect(elements('.run-strip rect').map((bar) => bar.getAttribute('class'))).toEqual([
      ...['run-good', 'run-fetch_failed', 'run-site_changed', 'run-site_changed', 'run-site_changed'],
    ])
    expect(texts('.run-strip rect title')[1]).toStartWith('Timeout, ')
    expect(texts('.run-strip .legend span')).toEqual(['good', 'site changed', 'fetch failed'])
    await find('.badge.bad', 'site changed')
    await find('tbody th', 'Redirected elsewhere')
  })

  test('a button queues the failed scrapes of a class, and says how many', async () => {
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    ;(await find('button[aria-label="Retry: Changed page"]')).click()
    await find('.notice', '2 queued.')
    ;(await find('button[aria-label="Retry: Changed page"]')).click()
    await find('.notice', '0 queued, 2 already queued.')
    const queued = await sql`select source_parcel_id as id from scrape_jobs where status = 'queued' order by 1`
    expect(queued.map(({ id }) => id)).toEqual(['P5', 'P6'])
  })

  test('a crawl is listed among the scrapes', async () => {
    await insertCrawl(sql, 'elm', { status: 'done', finishedAt: new Date().toISOString(), inserted: 3 })
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    await waitFor(() => texts('.run-strip rect title').at(-1)?.startsWith('Crawl: good, ') === true)
  })

  test('all parts of a page share one stream of events, and a hidden tab has none', async () => {
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    await find('.run-strip svg')
    const streams = () => requests.filter((request) => request.startsWith('GET /v1/events'))
    await waitFor(() => streams().length > 0)
    expect(streams()).toHaveLength(1)
    expect(streams()[0]).toContain('source')

    const show = (visibilityState: string) => {
      Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }
    show('hidden')
    show('visible')
    await waitFor(() => streams().length === 2)
    expect(streams()[1]).toBe(streams()[0])
    Reflect.deleteProperty(document, 'visibilityState')
  })

  test('the page of a source that does not exist offers nothing to edit', async () => {
    await open('/app/console/sources/nowhere', { key: ADMIN_KEY })
    await find('.notice', 'There is no source with this name.')
    expect(texts('button')).not.toContain('Edit the source')
    expect(texts('a')).toContain('All sources')
  })

  test('the health page names a changed site as the problem', async () => {
    await open('/app/console/health', { key: ADMIN_KEY })
    await find('.cell-note', 'site changed: Changed page')
  })
})
