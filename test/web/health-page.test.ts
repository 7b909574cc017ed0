import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Locator } from 'playwright-core'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { insertSource, insertVendor } from '../jobs/job-rows'
import { findChromium, launchChromium } from './chromium'
import { closePage, createOpener, settle } from './open-page'

const chromium = findChromium()

describe.skipIf(chromium === null)('the table of the sources’ health', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql } = await createTestApp()
  await insertVendor(sql, 'test', 2)
  for (const source of ['ash', 'elm', 'oak', 'yew']) await insertSource(sql, source, 'test')
  await sql`update sources set active = true`
  await sql`update source_refresh_policies set next_due_at = now() - interval '2 days' where source = 'yew'`
  await sql`
    insert into parcels (source, source_parcel_id)
    select source, n::text from (values ('ash', 12), ('elm', 1), ('oak', 3)) as counts (source, parcels), generate_series(1, parcels) n`
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, finished_at)
    select source, ago::text, 'test', status::job_status, now() - ago * interval '1 hour'
    from (values ('ash', 'done', 1), ('elm', 'done', 5), ('elm', 'error', 4), ('elm', 'error', 3), ('oak', 'error', 6), ('oak', 'done', 2))
      as ended (source, status, ago)`
  await sql`
    insert into source_days (source, day, finished, errors)
    select source, (now() at time zone 'UTC')::date - ago, 20, errors
    from (values ('elm', 0, 2), ('elm', 3, 5), ('oak', 13, 1), ('ash', 1, 0)) as days (source, ago, errors)`
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const openPage = createOpener(browser, `http://127.0.0.1:${app.server?.port}`, { key: ADMIN_KEY })
  const open = async (theme: 'light' | 'dark' = 'light') => {
    const { page } = await openPage('/app/console/health', { theme })
    await page.waitForSelector('tbody tr .sparkline')
    await settle(page)
    return page
  }

  test('it is sorted by any column, up and down, which its head tells; what is not known stays last', async () => {
    const page = await open()
    const sources = () => page.locator('tbody th a').allTextContents()
    /** The heads that tell an order, and which. */
    const sorts = () =>
      page.$$eval('thead th[aria-sort]', (heads) =>
        heads.map((head) => [head.firstChild?.firstChild?.textContent, head.getAttribute('aria-sort')]),
      )
    expect(await sorts()).toEqual([['State', 'descending']])
    expect(await sources()).toEqual(['elm', 'oak', 'yew', 'ash'])
    for (const [column, first, order, turned] of [
      ['Source', 'ascending', 'ash elm oak yew', 'yew oak elm ash'],
      ['Parcels', 'descending', 'ash oak elm yew', 'yew elm oak ash'],
      ['Errors, 24 h', 'descending', 'elm oak ash yew', 'ash yew oak elm'],
      ['Last success', 'ascending', 'elm oak ash yew', 'ash oak elm yew'],
      ['Last error', 'ascending', 'oak elm ash yew', 'elm oak ash yew'],
      ['Next due', 'ascending', 'yew ash elm oak', 'ash elm oak yew'],
    ] as const) {
      const button = page.locator('thead button', { hasText: column })
      await button.click()
      expect(await sorts()).toEqual([[column, first]])
      expect((await sources()).join(' ')).toBe(order)
      await button.press('Enter')
      expect(await sorts()).toEqual([[column, first === 'ascending' ? 'descending' : 'ascending']])
      expect((await sources()).join(' ')).toBe(turned)
    }
    await closePage(page)
  })

  test('it is red where errors are that no success followed, and there alone; it warns of others, and of what is overdue', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const page = await open(theme)
      const row = (source: string) => page.locator('tbody tr', { has: page.locator(`a:text-is("${source}")`) })
      const states = await Promise.all(
        ['ash', 'elm', 'oak', 'yew'].map(async (source) => [
          await row(source).getAttribute('class'),
          await row(source).locator('.badge').textContent(),
        ]),
      )
      expect(states).toEqual([
        [null, 'well'],
        ['bad', 'failing'],
        ['warn', 'some errors'],
        ['warn', 'overdue'],
      ])
      expect(await isRed(row('elm').locator('.badge'))).toBe(true)
      expect(await isRed(row('elm').locator('a.tone-bad'))).toBe(true)
      for (const source of ['ash', 'oak', 'yew']) expect(await isRed(row(source).locator('.badge'))).toBe(false)
      expect(await row('elm').locator('a.tone-bad').getAttribute('href')).toBe(
        '/app/console/jobs?status=error&source=elm',
      )
      const hurting = page.locator('.figures > div', { hasText: 'Hurting' }).locator('dd')
      expect(await hurting.textContent()).toBe('1')
      expect(await isRed(hurting)).toBe(true)
      await closePage(page)
    }
  })

  test('each source has a sparkline of its errors: a bar a day, as high as they were many', async () => {
    const page = await open()
    const sparkline = (errors: number) => page.locator(`svg.sparkline[aria-label="${errors} errors in 14 days"]`)
    const heights = (line: Locator) =>
      line.locator('rect').evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))))
    const elm = await heights(sparkline(7))
    expect(elm).toHaveLength(14)
    const most = Math.max(...elm)
    expect(elm.map((height) => (5 * height) / most)).toEqual([...Array(10).fill(0), 5, 0, 0, 2])
    const oak = await heights(sparkline(1))
    expect(oak.map((height) => height > 0)).toEqual([true, ...Array(13).fill(false)])
    expect(await heights(sparkline(0))).toEqual(Array(14).fill(0))
    await closePage(page)
  })
})

/** As the eye has it: amber, whose hue is 30° and more, is another colour. */
const isRed = async (text: Locator): Promise<boolean> => {
  const colour = await text.evaluate((one) => {
    const { getComputedStyle } = globalThis as unknown as { getComputedStyle: (one: unknown) => { color: string } }
    return getComputedStyle(one).color
  })
  const [red = 0, green = 0, blue = 0] = colour.match(/[\d.]+/g)?.map(Number) ?? []
  const chroma = Math.max(red, green, blue) - Math.min(red, green, blue)
  const hue = (60 * (green - blue)) / chroma
  return chroma > 60 && red === Math.max(red, green, blue) && Math.abs(hue) < 15
}
