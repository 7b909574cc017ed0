import { expect, test } from 'bun:test'
import type { Adapter, HttpClient, ScrapeTarget } from '../../adapters/adapter'
import { checkConfig } from '../../adapters/check-config'
import { findAdapter, VENDORS } from '../../adapters/registry'
import { ScrapeError } from '../../adapters/scrape-error'
import { reportUrl } from '../../adapters/vendors/schneider-beacon-qpublic/fetch'
import { listCountyPortals, seed } from '../../drizzle/seed/seed'
import { createTestDatabase } from '../support/servers'

const portals = listCountyPortals()

test('the vendor_config of each seeded portal matches its vendor, if it has one', () => {
  const configured = portals.filter(({ vendor_config }) => Object.keys(vendor_config).length > 0)
  expect(configured.length).toBeGreaterThan(0)
  for (const { vendor, vendor_config } of configured) {
    const adapter = findAdapter(vendor)
    expect(adapter?.vendor).toBe(vendor)
    if (adapter !== null) checkConfig(adapter.config, vendor_config, { allowPrivate: false })
  }
})

test('each seeded portal of these vendors is ready: its vendor_config is complete with the defaults', () => {
  const counts = { 'iowa-treasurers': 90, oktaxrolls: 74, 'tyler-eagleweb-treasurer': 37, 'megabyte-mpts': 32 }
  for (const [vendor, count] of Object.entries(counts)) {
    const adapter = findAdapter(vendor)
    const seeded = portals.filter((portal) => portal.vendor === vendor)
    expect(seeded).toHaveLength(count)
    for (const { vendor_config } of seeded) {
      if (adapter !== null) checkConfig(adapter.config, vendor_config, { allowPrivate: false })
    }
  }
})

test('a seeded portal that may not work with its vendor_config says what to look up, and where', () => {
  const asking = portals.flatMap(({ source, look_up }) => (look_up === null ? [] : [source]))
  for (const county of ['delta', 'la-plata', 'montezuma', 'otero', 'teller']) {
    expect(asking).toContain(`co-${county}-tyler-eagleweb-treasurer`)
  }
})

/** The URLs that a scrape of a portal requests until the first answer, which never arrives. */
const firstRequests = async ({ vendor, base_url, vendor_config }: (typeof portals)[number]): Promise<string[]> => {
  const adapter = findAdapter(vendor) as Adapter
  const config = checkConfig(adapter.config, vendor_config, { allowPrivate: false })
  const asked: string[] = []
  const refuse = (url: string): never => {
    asked.push(url)
    throw new ScrapeError('network', 'not requested')
  }
  const http: HttpClient = { request: async ({ url }) => refuse(url), withOwnCookies: () => http }
  const page = { goto: async (url: string) => refuse(url), on: () => {}, route: async () => {} }
  const target = {
    sourceParcelId: '01-01',
    baseUrl: base_url.replace(/\/$/, ''),
    overrides: {},
    validators: { etag: null, lastModified: null },
  } as Partial<ScrapeTarget> as ScrapeTarget
  const openPage = adapter.needsBrowser ? async () => page as never : null
  const failure: unknown = await adapter
    .fetch(target, config, { http, openPage, signal: new AbortController().signal })
    .catch((error) => error)
  if (asked.length === 0) throw failure
  return asked
}

test('a scrape of each seeded portal begins at its own host, or is refused by its settings, and then the portal says what to look up', async () => {
  const counts = { ready: 0, toCheck: 0, lacking: 0 }
  for (const portal of portals) {
    const { source, base_url, look_up } = portal
    try {
      const [first = ''] = await firstRequests(portal)
      expect([source, new URL(first).host]).toEqual([source, new URL(base_url).host])
      counts[look_up === null ? 'ready' : 'toCheck']++
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      expect([source, error.code]).toEqual([source, 'bad_config'])
      // The text names the missing settings, and the place where an operator finds them.
      const missing = [...error.message.matchAll(/vendor_config\.(\w+)/g)].map(([, name]) => name as string)
      expect(missing).not.toBeEmpty()
      for (const name of missing) expect([source, look_up]).toEqual([source, expect.stringContaining(name)])
      expect([source, look_up]).toEqual([source, expect.stringMatching(/open (?:base_url|a parcel)/i)])
      counts.lacking++
    }
  }
  const page = (await Bun.file('docs/data.md').text()).replaceAll(/\s+/g, ' ')
  expect(page).toContain(`${counts.ready} have all settings that they need.`)
  expect(page).toContain(`${counts.toCheck} have them, too, but`)
  expect(page).toContain(`${counts.lacking} lack settings`)
})

test('the scrape of a seeded iasWorld portal begins at the folder above its search', async () => {
  const iasworld = portals.filter(({ vendor }) => vendor === 'tyler-iasworld')
  expect(iasworld).toHaveLength(10)
  for (const portal of iasworld) {
    const { base_url } = portal
    const asked = await firstRequests({ ...portal, vendor_config: { modes: ['profile'] } })
    expect(asked).toEqual([
      `${base_url.replace(/\/search\/commonsearch.*/, '')}/datalets/datalet.aspx?mode=profile&UseSearch=no&pin=0101`,
    ])
  }
})

test('each seeded Beacon portal has the address of its reports, or says what to look up and where', () => {
  const beacon = portals.filter(({ vendor }) => vendor === 'schneider-beacon-qpublic')
  const unknown = beacon.flatMap(({ source, base_url, vendor_config, look_up }) => {
    const target = { baseUrl: base_url, sourceParcelId: '12-34' } as Parameters<typeof reportUrl>[0]
    try {
      const query = new URL(reportUrl(target, { labels: {}, values: {}, ...vendor_config })).searchParams
      expect(Object.fromEntries(query)).toMatchObject({ PageTypeID: '4', KeyValue: '12-34' })
      return []
    } catch (error) {
      const said = String(error)
      expect(said).toContain('Open base_url in a browser')
      expect(look_up).toContain('open base_url in a browser')
      return source
    }
  })
  const known = beacon.filter(({ source }) => !unknown.includes(source))
  expect([beacon.length, known.length]).toEqual([84, 17])
  expect(known.every(({ look_up }) => look_up === null)).toBe(true)
})

test('a county can have several portals, and no two seeded portals have the same slug or address', () => {
  const slugs = portals.map(({ source }) => source)
  expect(new Set(slugs).size).toBe(slugs.length)
  const addresses = portals.map(({ vendor, base_url, county_name }) => `${vendor} ${base_url} ${county_name}`)
  expect(new Set(addresses).size).toBe(addresses.length)
  const ofAdair = portals.filter(({ state, county_name }) => state === 'IA' && county_name === 'Adair')
  expect(ofAdair.map(({ vendor }) => vendor)).toEqual(['iowa-treasurers', 'vanguard-iowa-assessors'])
})

test('the number of seeded portals is the one in the documentation', async () => {
  const page = await Bun.file('docs/data.md').text()
  expect(page.replaceAll(/\s+/g, ' ')).toContain(`The service comes with ${portals.length} real sources`)
})

test('a new database has every portal with its vendor_config, and a changed one is kept', async () => {
  const { sql } = await createTestDatabase()
  await seed(sql, VENDORS)
  const source = 'ia-poweshiek-schneider-beacon-qpublic'
  const configOf = async () =>
    (await sql`select vendor_config as config from sources where source = ${source}`)[0]?.config
  expect(await configOf()).toEqual({ app_id: 135, layer_id: 1603, page_id: 842 })
  const [stored] =
    await sql`select count(*)::int as count from sources where source = any(${portals.map(({ source }) => source)})`
  expect(stored?.count).toBe(portals.length)

  await sql`update sources set vendor_config = '{"page_id": 7}' where source = ${source}`
  expect(await seed(sql, VENDORS)).toEqual([])
  expect(await configOf()).toEqual({ page_id: 7 })
})

test('an upgrade changes the settings of a portal that nobody has changed; a portal that an operator has changed keeps its own', async () => {
  const { sql } = await createTestDatabase()
  await seed(sql, VENDORS)
  const [untouched, touched, former] = [
    'ia-poweshiek-schneider-beacon-qpublic',
    'oh-allen-schneider-beacon-qpublic',
    'hi-maui-schneider-beacon-qpublic',
  ] as const
  const rowsOf = () =>
    sql`select source, base_url, vendor_config, seed_hash from sources
      where source in (${untouched}, ${touched}, ${former}) order by source`
  const released = await rowsOf()
  // As earlier releases left them.
  await sql`
    update sources set base_url = 'https://old.example/', vendor_config = '{}',
      seed_hash = md5('https://old.example/' || '{}'::jsonb::text)`
  await sql`update sources set vendor_config = '{"page_id": 7}' where source = ${touched}`
  await sql`update sources set seed_hash = null where source = ${former}`
  const renewed = await seed(sql, VENDORS)
  expect(renewed).toContain(untouched)
  expect(renewed).not.toContain(touched)
  expect(renewed).not.toContain(former)
  const now = await rowsOf()
  const of = (rows: typeof now, name: string) => rows.find(({ source }) => source === name)
  expect(of(now, untouched)).toEqual(of(released, untouched))
  expect(of(now, touched)).toMatchObject({ base_url: 'https://old.example/', vendor_config: { page_id: 7 } })
  expect(of(now, former)).toMatchObject({ vendor_config: {} })
  expect(await seed(sql, VENDORS)).toEqual([])
})

test('a scrape of these seeded portals begins at the address that their pages have', async () => {
  const addresses: Record<string, string> = {
    'ne-cass-ne-assessors-taxes-online': 'https://nebraskataxesonline.us/search.aspx?county=Cass',
    'nv-douglas-gsa-catalis': 'https://douglasnv-search.gsacorp.io/parcel/0101',
    'nv-lyon-gsa-catalis': 'https://gsaportal.lyon-county.org/parcel/0101',
    'nv-nye-devnet-wedge': 'https://nyenv.devnetwedge.com/parcel/view/0101',
    'nc-gaston-devnet-wedge': 'https://gastonnc.devnetwedge.com/parcel/view/0101',
    'co-logan-spatialest': 'https://property.spatialest.com/co/logan/api/v2/search',
    'nc-durham-spatialest': 'https://property.spatialest.com/nc/durham-tax/api/v2/search',
  }
  for (const [source, first] of Object.entries(addresses)) {
    const portal = portals.find((candidate) => candidate.source === source)
    if (portal === undefined) throw new Error(`${source} is not seeded`)
    expect(await firstRequests(portal)).toEqual([first])
  }
})
