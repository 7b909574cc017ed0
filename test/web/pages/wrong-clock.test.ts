import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { createTestApp } from '../../http/test-app'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener } from '../browser/open-page'

setDefaultTimeout(TEST_TIMEOUT_MS)

const chromium = findChromium()

/** Before the scripts of a page run. */
const shiftClock = (page: Page, hours: number) =>
  page.addInitScript(`{
    const shiftMs = ${hours} * 3_600_000, now = Date.now
    Date.now = () => now() + shiftMs
    Date = new Proxy(Date, { construct: (of, given) => new of(...(given.length === 0 ? [now() + shiftMs] : given)) })
  }`)

describe.skipIf(chromium === null)('in a browser whose clock is wrong', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, signIn } = await createTestApp()
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))

  test.each([-1, 1])(
    '%i h: times are those of the service, and an alert is silenced for as long as was chosen',
    async (hours) => {
      const { token } = await signIn({ role: 'admin', email: `ada${hours}@larkspur.example` })
      const open = createOpener(browser, `http://127.0.0.1:${app.server?.port}`, { token })
      await sql`delete from alerts`
      await sql`
      insert into alerts (rule, subject, value, text, told_at)
      values ('search_lag', '', 12, 'The search index is 12 min behind.', now())`
      const { page } = await open('/app/console/alerts', {}, (opened) => void shiftClock(opened, hours))
      const alert = page.locator('section[aria-label="Current alerts"] tbody tr')
      await alert.filter({ hasText: /just now|second|minute/ }).waitFor()
      await alert.locator('button:has-text("Silence")').click()
      await page.locator('dialog button[type=submit]').click()
      await page.waitForSelector('dialog', { state: 'detached' })
      const [silence] = await sql<{ minutes: number }[]>`
      select extract(epoch from silenced_until - now())::float8 / 60 as minutes from alerts`
      expect(Math.abs((silence?.minutes ?? 0) - 8 * 60)).toBeLessThan(5)
      await closePage(page)
    },
  )
})
