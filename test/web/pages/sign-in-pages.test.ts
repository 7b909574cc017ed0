import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { READY_PEOPLE, startIdentityProvider } from '../../../dev/identity-provider'
import { findFreePort } from '../../../src/operations/embedded/child'
import { CALLBACK_PATH, createSignIn } from '../../../src/people/sign-in'
import { createTestApp } from '../../http/test-app'
import { findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'

const chromium = findChromium()
const WANTED = '/app/search?q=alder&types=parcels'

/** The pages between the app and the identity provider. They are not part of the app. */
describe.skipIf(chromium === null)('the sign-in pages', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const base = `http://localhost:${await findFreePort()}`
  const redirectUri = `${base}${CALLBACK_PATH}`
  const provider = await startIdentityProvider({ redirectUri })
  afterAll(provider.stop)
  const { identityProvider } = provider
  const { app, sql } = await createTestApp({
    baseUrl: base,
    signIn: (sql) => createSignIn({ sql, provider: identityProvider, redirectUri }),
  })
  app.listen({ port: Number(new URL(base).port), hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))

  const beginAt = `${base}/auth/sign-in?return_to=${encodeURIComponent(WANTED)}`
  const open = async (url: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 390, height: 860 } })
    await page.goto(url)
    await page.waitForSelector('h1')
    return page
  }
  /** Checks the page in both themes, and that it fits a phone. */
  const expectNoFaults = async (page: Page) => {
    expect(await findFaultsInBothThemes(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  }

  test('axe finds no serious fault in the choice of a person and in an expired sign-in', async () => {
    const page = await open(beginAt)
    await page.waitForSelector('h1:has-text("Who are you?")')
    await expectNoFaults(page)
    await page.goto(`${identityProvider.issuer}/sign-in/no-such-one`)
    await page.waitForSelector('h1:has-text("This sign-in has expired")')
    await expectNoFaults(page)
    await page.close()
  })

  test('a person whom the provider refuses can try again, and reaches the page they wanted', async () => {
    const page = await browser.newPage()
    const [asked] = await Promise.all([
      page.waitForRequest((request) => new URL(request.url()).searchParams.has('state')),
      page.goto(beginAt),
    ])
    const state = new URL(asked.url()).searchParams.get('state')
    const denied = new URLSearchParams({ error: 'access_denied', state: state ?? '', iss: identityProvider.issuer })
    await page.goto(`${redirectUri}?${denied}`)
    await page.waitForSelector('p:has-text("the identity provider says access_denied")')
    await expectNoFaults(page)
    await page.click('a:has-text("Try again")')
    await page.click(`button:has-text("${READY_PEOPLE.member.name}")`)
    await page.waitForURL(`${base}${WANTED}`)
    await page.waitForSelector(`.menu > button:has-text("${READY_PEOPLE.member.name}")`)
    await page.close()
  })

  test('axe finds no serious fault in the messages about late and too frequent sign-ins', async () => {
    const late = await open(`${redirectUri}?code=none&state=none`)
    await late.waitForSelector('p:has-text("not started in this browser")')
    await expectNoFaults(late)
    await late.close()
    await sql`
      insert into sign_in_attempts (hashed_state, hashed_browser, code_verifier, nonce, return_to, address)
      select 'state-' || n, 'browser', 'verifier', 'nonce', '/', '127.0.0.1' from generate_series(1, 20) n`
    const often = await open(beginAt)
    await often.waitForSelector('p:has-text("too many sign-ins from this IP address")')
    await expectNoFaults(often)
    await sql`delete from sign_in_attempts`
    await often.click('a:has-text("Try again")')
    await often.waitForSelector('h1:has-text("Who are you?")')
    await often.close()
  })
})
