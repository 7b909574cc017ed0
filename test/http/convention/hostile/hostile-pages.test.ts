import { afterAll, expect, test } from 'bun:test'
import { createPortalAccess } from '../../../../adapters/http/http-client'
import { findAdapter } from '../../../../adapters/registry'
import { createReaderPool } from '../../../../src/scrape/readers/reader-pool'
import { anothersPage, HOSTILE_LAYERS, HOSTILE_PAGES, hostileRobots } from '../../../scrape/readers/hostile-pages'
import { leastOf } from '../../../support/shortest-time'
import { createTestApp } from '../../test-app'

const PARCEL = '12-345'
const LAYER = JSON.stringify({
  fields: [
    { name: 'PIN', type: 'esriFieldTypeString' },
    { name: 'OBJECTID', type: 'esriFieldTypeOID' },
  ],
})

/** Pages are made before the first request, because the portal shares this process. */
const layers = Object.entries(HOSTILE_LAYERS).map(([name, write]) => ({ name, body: write(PARCEL) }))
const pages = Object.entries(HOSTILE_PAGES).map(([name, write]) => ({ name, body: write(PARCEL) }))

const serve = (robots: string | null) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/robots.txt': () => (robots === null ? new Response('', { status: 404 }) : new Response(robots)),
      '/layer/:at/0': () => new Response(LAYER),
      '/layer/:at/0/query': ({ params }) => new Response(layers[Number(params.at)]?.body),
      '/other/parcel': () => new Response(anothersPage('99-999'), { headers: { 'content-type': 'text/html' } }),
      '/popup': () =>
        new Response("<script>window.open('http://no-such-host.invalid/')</script>", {
          headers: { 'content-type': 'text/html' },
        }),
      '/page/:at/parcel': ({ params }) =>
        new Response(pages[Number(params.at)]?.body, { headers: { 'content-type': 'text/html' } }),
    },
    fetch: () => new Response('<h1>nothing here</h1>', { status: 404 }),
  })
const portal = serve(null)
const wild = serve(hostileRobots())
/** A shorter time limit for a page than portals get, so that a page that uses all of it does not slow the test. */
const readers = createReaderPool({ timeMs: 1_500 })
afterAll(async () => {
  readers.stop()
  await Promise.all([portal.stop(true), wild.stop(true)])
})

const portals = createPortalAccess({ userAgent: 'parcel-data-service/0', allowPrivate: true, spacingMs: 1 })
const { call, sql } = await createTestApp({
  scraper: {
    findAdapter,
    createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
    readers,
  },
})

const addSource = async (vendor: string, baseUrl: string, config: object): Promise<string> => {
  const source = `hostile-${crypto.randomUUID()}`
  await sql`
    insert into sources (source, state, county_name, vendor, base_url, vendor_config)
    values (${source}, 'OR', 'Elm', ${vendor}, ${baseUrl}, ${sql.json({ ...config })})`
  await sql`insert into source_refresh_policies (source, next_due_at) values (${source}, '2027-01-01T00:00:00Z')`
  return source
}
const columns = { columns: { parcel_id: 'PIN' } }
const HOSTILE = [
  ...layers.map(({ name }, at) => ({
    name,
    add: () => addSource('arcgis-rest', `${portal.url.origin}/layer/${at}/0`, columns),
  })),
  ...pages.map(({ name }, at) => ({ name, add: () => addSource('fixture', `${portal.url.origin}/page/${at}`, {}) })),
  { name: "another parcel's page", add: () => addSource('fixture', `${portal.url.origin}/other`, {}) },
  // This page needs a worker's browser, so a job is queued.
  { name: 'a popup', add: () => addSource('aumentum-public-access', `${portal.url.origin}/popup`, {}) },
  {
    name: 'a robots.txt of 10 MB of wildcards',
    add: () => addSource('arcgis-rest', `${wild.url.origin}/layer/0/0?${'a'.repeat(1_500)}`, columns),
  },
]

/**
 * The time of the slowest of a hundred requests to `/health` during `work`, in ms. Each is timed from the moment it was due, so that a
 * blocked thread counts in full.
 */
const slowestHealth = async (work: () => Promise<unknown>): Promise<number> => {
  const took: number[] = []
  let isOver = false
  const watching = (async () => {
    for (let due = performance.now(); !isOver; due = Math.max(due + 10, performance.now())) {
      await Bun.sleep(Math.max(0, due - performance.now()))
      const { status } = await call('/health', { key: null })
      if (status !== 200) throw new Error(`/health says ${status}`)
      took.push(performance.now() - due)
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await watching
  }
  return took.toSorted((one, other) => one - other)[Math.ceil(took.length * 0.99) - 1] ?? 0
}

const scrapeHostile = async () => {
  for (const { name, add } of HOSTILE) {
    const source = await add()
    const { status, body } = await call(`/v1/parcels/${source}/${PARCEL}/scrape-now`, { method: 'POST' })
    // A page beyond a bound is refused with its reason. A page within the bounds is stored.
    if (body.enqueued === true) expect(status, name).toBe(503)
    else if (status !== 200) expect(body.error, name).toMatch(/^(too_large|page_changed|wrong_parcel): /)
    if (body.enqueued !== true) expect([200, 502], name).toContain(status)
  }
}

test('each hostile page is refused with its reason while /health stays fast', async () => {
  // A busy machine answers later, whatever is scraped.
  const limit = Math.max(100, 3 * (await slowestHealth(() => Bun.sleep(1_000))))
  expect(await leastOf(limit, () => slowestHealth(scrapeHostile))).toBeLessThan(limit)
})
