import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LISTED_PARCELS, type ParcelFilter } from '../../core/parcels/filter'
import { type Reads, readPrimary } from '../../core/postgres/replicas/reads'
import { upsertEntities } from '../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { decodeCursor } from '../../search/cursor'
import type { OwnerGroupHit, SearchHit } from '../../search/hits'
import { hashSearch, type SearchParams } from '../../search/query/query'
import { createSearch, type Search, type SearchAnswer } from '../../search/search'
import { createSearchSync } from '../../search/sync/sync'
import { insertCounty } from '../http/test-app'
import { createTestDatabase, testMeilisearch, waitFor } from '../support/servers'
import { PATIENT } from './patient'

const { url, sql } = await createTestDatabase()
const indexPrefix = `paging_${process.pid}_`
const meili = testMeilisearch()
const sync = createSearchSync({ databaseUrl: url, meili, indexPrefix })

/** Longer than any search takes: at which level a search stops must not depend on how busy the machine is. */
const engines = {
  Meilisearch: createSearch({ sql, meili, indexPrefix, limits: PATIENT }),
  'pg_trgm alone': createSearch({ sql, meili: null, limits: PATIENT }),
}

const FIRST_NAMES = ['ANN', 'BOB', 'CY', 'DEE', 'EVA', 'FRED', 'GUS']
const STREETS = ['HOLLOW RD', 'OAK ST', 'ELM AVE', 'HOLLOW ST']

beforeAll(async () => {
  await insertCounty(sql, 'elm')
  await insertCounty(sql, 'ash')
  await sql`update sources set county_name = 'Ash' where source = 'ash'`
  for (const source of ['elm', 'ash']) {
    await upsertParcels(
      sql,
      source,
      Array.from({ length: 150 }, (_, n) => ({
        sourceParcelId: `${n}`,
        ownerName: `HOLLOW ${FIRST_NAMES[n % FIRST_NAMES.length]}${n % 3 === 0 ? ` ${n}` : ''}`,
        situsAddress: `${n} ${STREETS[n % STREETS.length]}`,
        assessedValue: n * 1_000,
      })),
    )
  }
  await upsertParcels(
    sql,
    'ash',
    Array.from({ length: 1_050 }, (_, n) => ({ sourceParcelId: `c${n}`, ownerName: 'BRIMSTONE CITY' })),
  )
  const account = { account_id: 'R1', unit: '1', owner_name: 'TALLOW MERCHANTS' }
  const rest = { owner_mailing_address: null, situs_address: null, land_use_class: null, assessed_value: null }
  await upsertParcels(sql, 'ash', [
    ...Array.from({ length: 60 }, (_, n) => ({ sourceParcelId: `t${n}`, ownerName: 'TALLOW MERCHANTS' })),
    ...Array.from({ length: 3 }, (_, n) => ({
      ...{ sourceParcelId: `tower${n}`, ownerName: 'TALLOW TOWER ASSOCIATION', accounts: [{ ...account, ...rest }] },
    })),
    ...Array.from({ length: 9 }, (_, n) => ({ sourceParcelId: `n${n}`, ownerName: 'QUARTZ NEVADA' })),
  ])
  const companies = Array.from({ length: 60 }, (_, n) => ({ registryNumber: `${n}`, name: `HOLLOW ${n} LLC` }))
  await upsertEntities(sql, 'OR', companies)
  sync.start()
  await waitFor(() => sync.status().leading)
  await sync.drain()
  // Otherwise it is loaded in the background, and the corrections of the first page may differ from those of later ones.
  for (const search of Object.values(engines)) await search.refreshVocabulary()
})
afterAll(() => sync.stop())

type More = Partial<Omit<SearchParams, 'filter'>> & { filter?: Partial<ParcelFilter> }
const paramsOf = (q: string, { filter, ...more }: More): SearchParams => ({
  q,
  limit: 20,
  types: ['parcels', 'entities'],
  filter: { ...LISTED_PARCELS, ...filter },
  lat: null,
  lon: null,
  proximityKm: 50,
  group: null,
  ...more,
})

const nameOf = (hit: SearchHit): string =>
  hit.kind === 'parcel' ? `${hit.source}/${hit.source_parcel_id}` : hit.kind === 'entity' ? hit.id : hit.owner_name

/** All pages of a search, with the limits in turn. Reads them again if PostgreSQL answered in place of a busy Meilisearch. */
const readPages = async (search: Search, params: SearchParams, limits: readonly number[]): Promise<SearchAnswer[]> => {
  for (;;) {
    const pages = await readPagesOnce(search, params, limits)
    if (pages.every(({ degraded }) => !degraded)) return pages
  }
}

const readPagesOnce = async (
  search: Search,
  params: SearchParams,
  limits: readonly number[],
): Promise<SearchAnswer[]> => {
  const pages: SearchAnswer[] = []
  for (let next: string | null = null; pages.length === 0 || next !== null; ) {
    const after = next === null ? null : decodeCursor(next, hashSearch(params))
    if (next !== null) expect(after).not.toBeNull()
    const limit = limits[pages.length % limits.length] ?? 20
    const page = await search.search({ ...params, limit, after })
    expect(page.hits.length).toBeLessThanOrEqual(limit)
    pages.push(page)
    next = page.next
    if (pages.length > 200) throw new Error('the pages have no end')
  }
  return pages
}

describe.each(Object.entries(engines))('%s', (_, search) => {
  const searches = fc.record({
    q: fc.constantFrom('hollow', 'hollow ann', 'holow', 'hollow r', 'hollow rd', 'ho', '3 hollow', 'eva hollow'),
    limits: fc.array(fc.integer({ min: 15, max: 100 }), { minLength: 1, maxLength: 3 }),
    more: fc.record(
      {
        counts: fc.boolean(),
        group: fc.constant('owner' as const),
        filter: fc.constantFrom({ county: 'ash' }, { maxValue: 40_000 }, { source: 'elm' }),
      },
      { requiredKeys: [] },
    ),
  })

  test('pages of any size have every hit once, as many as the total', async () => {
    await fc.assert(
      fc.asyncProperty(searches, async ({ q, limits, more }) => {
        const params = paramsOf(q, more)
        const pages = await readPages(search, params, limits)
        const names = pages.flatMap(({ hits }) => hits.map(nameOf))
        expect(new Set(names).size).toBe(names.length)
        const inOnePage = await readPages(search, { ...params, counts: true }, [100])
        expect(names.toSorted()).toEqual(inOnePage.flatMap(({ hits }) => hits.map(nameOf)).toSorted())
        const last = pages.at(-1)
        expect(last).toMatchObject({ total: names.length, isTotalExact: true })
        for (const { total, isTotalExact } of pages) {
          if (isTotalExact) expect(total).toBe(names.length)
          else expect(total).toBeLessThanOrEqual(names.length)
        }
        if (params.counts && params.group === null) {
          const scores = pages.flatMap(({ hits }) => hits.map(({ score }) => score))
          expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        }
      }),
      { numRuns: 8 },
    )
  })

  test('all 300 parcels and 60 entities with a word are counted and found', async () => {
    const pages = await readPages(search, paramsOf('hollow', {}), [100])
    expect(pages.flatMap(({ hits }) => hits).length).toBe(360)
    expect(await search.search(paramsOf('hollow', { counts: true }))).toMatchObject({ total: 360, isTotalExact: true })
    const ofAsh = paramsOf('hollow', { counts: true, filter: { county: 'ash', minValue: 100_000 } })
    expect(await search.search(ofAsh)).toMatchObject({ total: 50, isTotalExact: true })
  })

  test('if the last hit of a page is gone, the next page continues with the equally good ones', async () => {
    const params = { ...paramsOf('brimstone city', { counts: true, types: ['parcels'] }), limit: 100 }
    const first = await search.search(params)
    const change = async (ownerName: string, hits: readonly SearchHit[]) => {
      const ids = hits.flatMap((hit) => (hit.kind === 'parcel' ? [hit.source_parcel_id] : []))
      await upsertParcels(
        sql,
        'ash',
        ids.map((sourceParcelId) => ({ sourceParcelId, ownerName })),
      )
      await sync.drain()
    }
    const gone = first.hits.slice(-3)
    await change('SOMEBODY ELSE', gone)
    const after = decodeCursor(first.next ?? '', hashSearch(params))
    const { hits } = await search.search({ ...params, after })
    await change('BRIMSTONE CITY', gone)
    expect(hits).toHaveLength(100)
    const shown = new Set(first.hits.map(nameOf))
    expect(hits.filter((hit) => shown.has(nameOf(hit)))).toEqual([])
  })

  test('pages have at most 1,000 hits in all', async () => {
    const params = paramsOf('brimstone city', { types: ['parcels'] })
    expect(await search.search({ ...params, counts: true })).toMatchObject({ total: 1_000, isTotalExact: false })
    const pages = await readPages(search, params, [100])
    const names = new Set(pages.flatMap(({ hits }) => hits.map(nameOf)))
    expect(names.size).toBe(1_000)
  })

  test('if only the query with its state as a word has hits, all its pages have them', async () => {
    const pages = await readPages(search, paramsOf('quartz nevada', { types: ['parcels'] }), [3])
    const names = pages.flatMap(({ hits }) => hits.map(nameOf))
    expect(names.toSorted()).toEqual(Array.from({ length: 9 }, (_, n) => `ash/n${n}`))
  })

  test('a group and its further pages have every parcel of the owner once', async () => {
    const params = paramsOf('brimstone city', { group: 'owner' })
    const { hits } = await search.search(params)
    const group = hits.find((hit): hit is OwnerGroupHit => hit.kind === 'owner-group')
    const names = group?.members.map(nameOf) ?? []
    for (let next = group?.members_next ?? null; next !== null; ) {
      const after = decodeCursor(next, hashSearch(params))
      expect(after).not.toBeNull()
      const page = await search.search({ ...params, after, limit: 100 })
      expect(page).toMatchObject({ total: 1_050, isTotalExact: true })
      expect(page.hits).toHaveLength(100)
      names.push(...page.hits.map(nameOf))
      next = page.next
    }
    expect(names.length).toBe(1_050)
    expect(new Set(names).size).toBe(1_050)
  })

  test('a group counts and shows the parcels of which its owner owns an account', async () => {
    const params = paramsOf('tallow merchants', { group: 'owner' })
    const [group] = (await search.search(params)).hits as OwnerGroupHit[]
    const next = decodeCursor(group?.members_next ?? '', hashSearch(params))
    const { hits } = await search.search({ ...params, after: next, limit: 100 })
    const names = [...(group?.members ?? []), ...hits].map(nameOf)
    expect(group?.owner_name).toBe('TALLOW MERCHANTS')
    expect([group?.member_count, new Set(names).size]).toEqual([names.length, names.length])
    // A typeahead search reads only the most likely records, so it may not find all towers.
    const towers = names.filter((name) => name.includes('tower')).length
    expect([towers > 0, names.length - towers]).toEqual([true, 60])
  })
})

test('if the parcels of the owners are not read in time, the pages have one parcel of each owner, and say that they are degraded', async () => {
  const params = paramsOf('hollow', { group: 'owner', types: ['parcels'], filter: { source: 'elm' } })
  const ownersOf = (pages: readonly SearchAnswer[]) =>
    pages.flatMap(({ hits }) => hits.map((hit) => (hit.kind === 'entity' ? null : hit.owner_name))).toSorted()
  const reads: Reads = { run: () => new Promise(() => {}) }
  const limits = { ...PATIENT, totalMs: 1_500 }
  const search = createSearch({ sql, reads, heavyReads: readPrimary(sql), meili, indexPrefix, limits })
  const pages = await readPagesOnce(search, params, [30])
  expect(pages.flatMap(({ hits }) => hits).every(({ kind }) => kind === 'parcel')).toBe(true)
  expect(pages.every(({ degraded }) => degraded)).toBe(true)
  expect(ownersOf(pages)).toEqual(ownersOf(await readPages(engines.Meilisearch, params, [30])))
})
