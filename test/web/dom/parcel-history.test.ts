import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { setCause } from '../../../drizzle/queries/changes/set-cause'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import type { ParcelInput } from '../../../drizzle/records'
import { undoCause } from '../../../src/orders/order-on-load'
import { createLoadRunner } from '../../../src/work/load-runner'
import { takeWork } from '../../../src/work/take-work'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { useAppInDom } from './open-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

const LOAD = '00000000-0000-7000-8000-000000000001'
const JOB = '00000000-0000-7000-8000-000000000002'

const square = (east: number): Pick<ParcelInput, 'geom' | 'bbox'> => ({
  geom: {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [0, 0],
          [east, 0],
          [east, 1],
          [0, 1],
          [0, 0],
        ],
      ],
    ],
  },
  bbox: [0, 0, east, 1],
})

describe('the history of a parcel', async () => {
  const { app, sql, signIn } = await createTestApp()
  let isFailing = false
  const { open, find, gone, elements, texts, type, requests } = useAppInDom((request) =>
    isFailing && request.url.includes('/history?')
      ? Response.json({ error: 'no luck' }, { status: 500 })
      : app.handle(request),
  )
  await insertCounty(sql)
  const write = (
    cause: 'ingest' | 'scrape',
    row: Omit<ParcelInput, 'sourceParcelId'>,
    cleared: Parameters<typeof upsertParcels>[4] = [],
  ) =>
    upsertParcels(
      sql,
      'elm',
      [{ sourceParcelId: 'A', ...row }],
      { cause, id: cause === 'ingest' ? LOAD : JOB },
      cleared,
    )
  const setRetired = (at: string | null) =>
    sql.begin(async (tx) => {
      await setCause(tx, 'ingest')
      await tx`update parcels set retired_at = ${at}, cause_id = ${LOAD}, origin = null where source_parcel_id = 'A'`
    })
  const DAY_MS = 86_400_000

  await write('ingest', { ownerName: 'ADA ELM', ownerNamesAll: ['ADA ELM'], assessedValue: 100_000, ...square(1) })
  await write('ingest', { ownerName: 'BEN OAK', ownerNamesAll: ['BEN OAK'], origin: { line: 12 } })
  await write('scrape', {
    zoningCode: 'R-7',
    origin: { page: 'https://portal.example/A', adapter: 'fixture', version: '1', as_of: '2026' },
  })
  await setRetired(new Date().toISOString())
  await setRetired(null)
  await sql`update parcels set assessed_value = 250000 where source_parcel_id = 'A'`
  await write('ingest', square(2), ['owner_name', 'owner_names_all'])
  // The parcel is three days old. Three days later, it gets ten more changes.
  await sql`update parcel_changes set at = at - ${3 * DAY_MS} * interval '1 millisecond'`
  await sql`update parcels set ingested_at = ingested_at - ${3 * DAY_MS} * interval '1 millisecond'`
  const acres = Array.from({ length: 10 }, (_, index) => index + 1)
  for (const acreage of acres)
    await write('ingest', { acreage, origin: { line: 1_004, ...(acreage === 1 ? {} : { place: 'feature 4' }) } })

  const entries = () => texts('ol.history > li')
  const link = async (selector: string, text: string) => (await find(selector, text)).getAttribute('href')
  const click = async (selector: string, text = '') => (await find(selector, text)).click()

  test('each change shows its field, old and new values, time and cause, newest first, and older changes are fetched in pages', async () => {
    await open('/app/parcels/elm/A', { key: ADMIN_KEY })
    await find('ol.history > li')
    expect(entries()).toHaveLength(10)
    expect(entries()[0]).toContain('Acres9 → 10')
    expect(entries()[9]).toContain('Acres(empty) → 1')
    expect(entries()[0]).toContain('Load of a file, feature 4')
    expect(entries()[9]).toContain('Load of a file, line 1,004')
    isFailing = true
    await click('button', 'Older')
    await find('.notice.bad', 'no luck')
    isFailing = false
    await click('button', 'Older')
    await find('ol.history > li', 'first stored')
    await gone('button', 'Older')
    const told = entries().slice(10)
    expect(told[0]).toContain('OwnerBEN OAK → (empty)')
    expect(told[0]).toContain('Boundary')
    expect(told[1]).toContain('Assessed value$100,000 → $250,000')
    expect(told[1]).toContain('Operator')
    expect(told[2]).toContain('Its source lists the parcel again.')
    expect(told[3]).toContain('Its source no longer lists the parcel.')
    expect(told[4]).toContain('Zoning(empty) → R-7')
    expect(told[4]).toContain('Scrape, page of the portal, data as of 2026')
    expect(told[5]).toContain('OwnerADA ELM → BEN OAK')
    expect(told[5]).toContain('Load of a file, line 12')
    expect(told[5]).not.toContain('Owners')
    expect(texts('ol.history .badge').slice(10)).toEqual([
      ...['changed', 'changed', 'returned', 'retired', 'changed', 'changed', 'first stored'],
    ])
    expect(await link('ol.history a', 'Load of a file')).toBe(`/app/console/sources/elm?load=${LOAD}`)
    expect(await link('ol.history a', 'Scrape')).toBe(`/app/console/jobs/${JOB}`)
    expect(await link('ol.history a', 'page of the portal')).toBe('https://portal.example/A')
  })

  test('an undo links to the load that it undid', async () => {
    await upsertParcels(sql, 'elm', [{ sourceParcelId: 'U', zoningCode: 'R-7' }], { cause: 'ingest', id: null })
    const undone = '00000000-0000-7000-8000-000000000003'
    await upsertParcels(sql, 'elm', [{ sourceParcelId: 'U', zoningCode: 'C-1' }], { cause: 'ingest', id: undone })
    const work = (await sql.begin((tx) => undoCause(tx, undone, 'operator'))) as string
    const log = pino({ level: 'silent' })
    await takeWork({ sql, runner: createLoadRunner({ log }), log }, { id: work, signal: new AbortController().signal })
    await open('/app/parcels/elm/U', { key: ADMIN_KEY })
    const entry = await find('ol.history > li', 'C-1 → R-7')
    const target = await find('ol.history a', 'load of a file')
    expect(entry.textContent).toContain('Undo of: load of a file')
    expect([entry.contains(target), target.getAttribute('href')]).toEqual([
      true,
      `/app/console/sources/elm?load=${undone}`,
    ])
    const { token } = await signIn()
    await open('/app/parcels/elm/U', { cookie: `pds_session=${token}` })
    await find('ol.history > li', 'C-1 → R-7')
    expect(texts('ol.history > li')[0]).toContain('Undo')
    expect(elements('ol.history a', 'load of a file')).toEqual([])
  })

  test('a person who is not an admin sees the cause without a link', async () => {
    const { token } = await signIn()
    await open('/app/parcels/elm/A', { cookie: `pds_session=${token}` })
    await find('ol.history > li', 'Load of a file')
    expect(elements('ol.history a', 'Load of a file')).toEqual([])
  })

  test('outlines are requested only when they are opened', async () => {
    await open('/app/parcels/elm/A', { key: ADMIN_KEY })
    await click('button', 'Older')
    const summary = await find('ol.history summary', 'Compare the outlines')
    expect(requests.filter((request) => request.includes('as_of'))).toEqual([])
    summary.click()
    await find('.outlines svg')
    const [former, next] = elements('.outlines path').map((path) => path.getAttribute('d'))
    expect([former?.startsWith('M'), next?.startsWith('M'), former === next]).toEqual([true, true, false])
    expect(requests.filter((request) => request.includes('as_of'))).toHaveLength(2)
  })

  test('the record before a change is shown with a banner, and one click leads back', async () => {
    await open('/app/parcels/elm/A', { key: ADMIN_KEY })
    await click('button', 'Older')
    const change = await find('ol.history > li', 'BEN OAK → (empty)')
    ;[...change.querySelectorAll('a')].at(-1)?.click()
    await find('.notice', 'This is the record as of')
    await find('.facts dd', 'BEN OAK')
    expect(elements('.notice .row')).toHaveLength(1)
    for (const now of ['Scrape now', 'Watch this parcel']) expect(elements('button', now)).toEqual([])
    expect(texts('h2')).not.toContain('Findings')
    await click('.notice a', 'Back to today')
    await gone('.notice', 'This is the record as of')
    await find('h2', 'Sources of each field')
    expect(location.search).toBe('')
  })

  test('a day shows the record at its end, and today shows the present', async () => {
    const show = async (time: number) => {
      const day = new Date(time)
      const text = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'))
      type(await find('input[type=date]'), text.join('-'))
      await click('button', 'Show')
    }
    await open('/app/parcels/elm/A', { key: ADMIN_KEY })
    await show(Date.now() - 2 * DAY_MS)
    await find('.notice', 'This is the record as of')
    await find('.figure', '$250,000')
    // No acreage is recorded: it is that of its boundary, which is large.
    expect(texts('.figure dd')).toEqual(['$250,000', '–', '–', '6,110,282.58'])
    expect(new Date(new URLSearchParams(location.search).get('as_of') ?? '').getHours()).toBe(23)
    await show(Date.now())
    await gone('.notice', 'This is the record as of')
    expect(texts('.figure dd').at(-1)).toBe('10')
    await show(Date.now() - 30 * DAY_MS)
    await find('.notice', 'The service did not know this parcel then. It was first stored on ')
    expect(elements('.figure')).toEqual([])
  })

  test('the page of a retired parcel says so, and links to its successors', async () => {
    await upsertParcels(sql, 'elm', [{ sourceParcelId: 'B' }, { sourceParcelId: 'C' }], { cause: 'ingest', id: LOAD })
    await sql`update parcels set retired_at = now() where source_parcel_id = 'B'`
    await sql`
      insert into parcel_links (predecessor, successor, kind, load_id)
      select b.id, c.id, 'replaced', ${LOAD} from parcels b, parcels c where b.source_parcel_id = 'B' and c.source_parcel_id = 'C'`
    await open('/app/parcels/elm/B', { key: ADMIN_KEY })
    const notice = await find('.notice', 'The source no longer lists this parcel. Its land went to C.')
    expect(notice.textContent).toEndWith('C.')
    expect(notice.querySelector('a')?.getAttribute('href')).toBe('/app/parcels/elm/C')
    await open('/app/parcels/elm/C', { key: ADMIN_KEY })
    await find('dt', 'Land from')
    expect(elements('.notice')).toEqual([])
  })

  test('an owner that changed after the last scrape is shown, and not the scraped one', async () => {
    await sql`
      update parcels set owner_name = 'CLARA FIR', owner_names_all = '{CLARA FIR}',
        scrape_data = '{"parcel_number": "C", "owner_name": "DAN ASH", "owners": [{"name": "DAN ASH"}]}'
      where source_parcel_id = 'C'`
    await open('/app/parcels/elm/C', { key: ADMIN_KEY })
    await find('.facts .plain-list li', 'CLARA FIR')
    expect(elements('.facts .plain-list li', 'DAN ASH')).toEqual([])
  })

  test('an invalid time is reported', async () => {
    await open('/app/parcels/elm/A?as_of=soon', { key: ADMIN_KEY })
    await find('.notice.bad', 'as_of must be a date')
    await find('.notice a', 'Back to today')
  })
})
