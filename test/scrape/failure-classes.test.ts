import { afterAll, describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import type { Adapter, RawDocument } from '../../adapters/adapter'
import { createBrowser } from '../../adapters/browser/browser'
import { getElement, visit } from '../../adapters/browser/visit'
import { createPortalAccess } from '../../adapters/http/http-client'
import { expectPage } from '../../adapters/reading/page/expect-page'
import { findAdapter } from '../../adapters/registry'
import { SCRAPE_ERROR_CODES, ScrapeError } from '../../adapters/scrape-error'
import { FAILURE_CLASSES, failureClass } from '../../core/sources/failure-classes'
import { listCases } from '../../dev/adapter-cases/list-cases'
import { configOf, targetOf } from '../../dev/adapter-cases/run-case'
import { describeFailure } from '../../src/scrape/fetch/describe-failure'
import { noteRedirect } from '../../src/scrape/fetch/note-redirect'
import { createScrapeParcel } from '../../src/scrape/fetch/scrape-parcel'
import { createReaderPool } from '../../src/scrape/readers/reader-pool'
import { insertSource } from '../jobs/job-rows'
import { createTestDatabase } from '../support/servers'
import { findChromium } from '../web/browser/chromium'

const { sql } = await createTestDatabase()
const page = (text: string, init?: ResponseInit) =>
  new Response(`<html><body>${text}</body></html>`, { headers: { 'content-type': 'text/html' }, ...init })

const ANSWERS: Record<string, (origin: string) => Response> = {
  changed: () => page('Hello'),
  nothing: () => page('No parcel found'),
  missing: () => page('gone', { status: 404 }),
  'server-error': () => page('oops', { status: 500 }),
  forbidden: () => page('no', { status: 403 }),
  challenge: () => page('<title>Just a moment</title>'),
  busy: () => page('slow down', { status: 429 }),
  maintenance: () => page('The portal is down for maintenance'),
  moved: (origin) => Response.redirect(origin.replace('127.0.0.1', 'localhost')),
  home: (origin) => Response.redirect(`${origin}/`),
  account: (origin) => Response.redirect(`${origin}/Account/Login.aspx?ReturnUrl=%2faccount`),
  'moved-by-script': (origin) =>
    page(`<script>location.replace('${origin.replace('127.0.0.1', 'localhost')}')</script>`),
  loop: (origin) => Response.redirect(`${origin}/loop`),
}
const portal: Bun.Server<undefined> = Bun.serve({
  port: 0,
  hostname: '0.0.0.0',
  fetch: (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/robots.txt') return new Response('', { status: 404 })
    return ANSWERS[pathname.slice(1)]?.(`http://127.0.0.1:${portal.port}`) ?? page('Welcome to the county')
  },
})
afterAll(() => portal.stop(true))

/** Reads a page that names its parcel. */
const adapter: Adapter = {
  vendor: 'test',
  grade: 'C',
  needsBrowser: false,
  config: Type.Object({}, { additionalProperties: true }),
  fetch: async ({ baseUrl, sourceParcelId }, _, { http }) => ({
    documents: [await http.request({ name: 'property', url: `${baseUrl}/${sourceParcelId}` })],
  }),
  parse: ([document]) => {
    const { body } = expectPage(document as RawDocument)
    if (body.includes('No parcel found')) throw new ScrapeError('not_found', 'the portal has no such parcel')
    throw new ScrapeError('page_changed', 'no "Parcel"')
  },
}
const portals = createPortalAccess({ userAgent: 'test', allowPrivate: true, spacingMs: 0, timeoutMs: 5_000 })
const scrapeParcel = createScrapeParcel({
  sql,
  findAdapter: () => adapter,
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
})
let sources = 0
/** The class of the failed scrape of a parcel. */
const classOf = async (baseUrl: string, sourceParcelId: string, scrape = scrapeParcel): Promise<string> => {
  const source = `elm-${++sources}`
  await insertSource(sql, source, 'test')
  await sql`update sources set base_url = ${baseUrl} where source = ${source}`
  const scraping = scrape({ source, sourceParcelId }, { signal: AbortSignal.timeout(30_000) })
  const error = await scraping.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  )
  const { code, failureClass } = describeFailure(error)
  return failureClass ?? code
}

test.each([
  ['changed', 'page_changed'],
  ['nothing', 'not_found'],
  ['missing', 'page_missing'],
  ['server-error', 'server_error'],
  ['forbidden', 'blocked'],
  ['challenge', 'challenge'],
  ['maintenance', 'maintenance'],
  ['busy', 'throttled'],
  ['moved', 'redirected'],
  ['home', 'redirected'],
  ['account', 'redirected'],
  ['loop', 'redirected'],
])('a portal that answers "%s" is a failure of the class %s', async (path, expected) => {
  expect(await classOf(`http://127.0.0.1:${portal.port}`, path)).toBe(expected)
})

test('a full disk is a failure with a code of its own, and not a bug', () => {
  for (const code of ['ENOSPC', 'EDQUOT'])
    expect(describeFailure(Object.assign(new Error('write failed'), { code }))).toMatchObject({
      ...{ code: 'disk_full', message: 'the disk is full' },
    })
})

describe.skipIf(findChromium() === null)('a portal that needs a browser', () => {
  const browser = createBrowser({
    ...{ executablePath: findChromium() ?? '', userAgent: 'test', portals, readyMs: 500 },
  })
  afterAll(() => browser.stop())
  /** Looks for an element before it returns a document. */
  const inBrowser: Adapter = {
    ...adapter,
    needsBrowser: true,
    fetch: async ({ baseUrl, sourceParcelId }, _, { openPage }) => {
      const shown = await (openPage as NonNullable<typeof openPage>)()
      const document = await visit(shown, { name: 'property', url: `${baseUrl}/${sourceParcelId}`, ready: '#search' })
      await getElement(shown, '#search', 'search box')
      return { documents: [document] }
    },
  }
  const scrapeInBrowser = createScrapeParcel({
    sql,
    findAdapter: () => inBrowser,
    createContext: (source, signal) => ({
      http: portals.clientFor(source, signal),
      openPage: () => browser.openPage(signal),
      signal,
    }),
  })

  test.each([
    ['changed', 'page_changed'],
    ['moved', 'redirected'],
    ['home', 'redirected'],
    ['moved-by-script', 'redirected'],
  ])('that answers "%s" is a failure of the class %s', async (path, expected) => {
    expect(await classOf(`http://127.0.0.1:${portal.port}`, path, scrapeInBrowser)).toBe(expected)
  })
})

test('a host that refuses connections and a name that does not resolve have different classes', async () => {
  expect(await classOf('http://127.0.0.1:9', 'x')).toBe('network')
  expect(await classOf('http://no-such-portal.invalid', 'x')).toBe('name_not_found')
})

test('a redirect within a portal, or one before a refusal, does not change the class', () => {
  const asked = 'https://www.portal.example/search?id=1'
  const changed = new ScrapeError('page_changed', 'no "Owner"')
  const refused = new ScrapeError('blocked', 'it is refused')
  expect(noteRedirect(changed, { asked, url: 'https://portal.example/parcel/1' })).toBe(changed)
  expect(noteRedirect(refused, { asked, url: 'https://other.example/' })).toBe(refused)
  expect(noteRedirect(changed, null)).toBe(changed)
  expect(noteRedirect(changed, { asked, url: 'https://other.example/new' })).toMatchObject({
    code: 'page_changed',
    failureClass: 'redirected',
    message: 'portal.example redirected to other.example: no "Owner"',
  })
  expect(noteRedirect(changed, { asked, url: 'https://portal.example/login.jsp' })).toMatchObject({
    message: 'portal.example redirected to its login: no "Owner"',
  })
})

test('the process that reads the page reports the class of a failure', async () => {
  const vendor = 'pacs-property-access'
  const [one] = listCases(vendor)
  const real = findAdapter(vendor)
  if (one === undefined || real === null) throw new Error(`${vendor} has no case`)
  const readers = createReaderPool()
  afterAll(() => readers.stop())
  const http = {
    request: async ({ name, url }: { name: string; url: string }) => ({
      ...{ name, url, status: 404, headers: {}, body: 'gone', fetchedAt: new Date().toISOString() },
    }),
    withOwnCookies: () => http,
  }
  const scraping = readers.scrape(
    { adapter: real, target: targetOf(one), config: configOf(real, one) },
    { http, openPage: null, signal: AbortSignal.timeout(30_000) },
  )
  await expect(scraping).rejects.toMatchObject({ code: 'not_found', failureClass: 'page_missing' })
})

test('every code of a scrape has a class of the same name, and every class has its own name and advice', () => {
  for (const code of [
    ...SCRAPE_ERROR_CODES,
    'internal',
    'server_unavailable',
    'worker_lost',
    'worker_stopped',
    'vendor_paused',
    'cancelled',
  ]) {
    expect(failureClass(code)).toMatchObject({ code })
  }
  for (const key of ['name', 'title', 'advice'] as const) {
    expect(new Set(FAILURE_CLASSES.map((one) => one[key])).size).toBe(FAILURE_CLASSES.length)
  }
})

test('the guide for operators says what every class means and what to do', async () => {
  const guide = await Bun.file('docs/operate.md').text()
  const rows = guide.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const causes = {
    site_changed: 'site changed',
    fetch_failed: 'fetch failed',
    parcel: 'only this parcel',
    service: 'this service',
  }
  for (const { title, name, cause, advice } of FAILURE_CLASSES) {
    expect(rows).toContainEqual(['', title, `\`${name}\``, causes[cause], advice, ''])
  }
})
