import { describe, expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createTestApp } from '../../http/test-app'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { countNow } from '../../parcels/coverage/count'
import { useAppInDom } from './open-app'

type Service = Awaited<ReturnType<typeof createTestApp>>
let service: Service | undefined
const { open, elements, texts, find, type, gone } = useAppInDom((request) => {
  if (service === undefined) throw new Error('each test has a service')
  return service.app.handle(request)
})

/** A service with these counties, each with a number of parcels. */
const openWith = async (counties: Readonly<Record<string, number>>) => {
  service = await createTestApp()
  const { sql } = service
  await insertVendor(sql, 'test', 2)
  for (const [county, parcels] of Object.entries(counties)) {
    await insertSource(sql, county, 'test')
    const rows = Array.from({ length: parcels }, (_, n) => ({
      sourceParcelId: `${n}`,
      ...(n % 2 === 0 ? { ownerName: 'ADA' } : {}),
    }))
    await upsertParcels(sql, county, rows)
  }
  await sql`update sources set active = true, county_name = initcap(source), last_known_data_as_of = '2020-01-02' where source <> 'elm'`
  await countNow(sql)
  await open('/app/coverage')
  await find('.figures')
}
const rows = () => texts('tbody th .cell-note').join(' ')
const figure = (label: string) => elements('.figures > div', label)[0]?.querySelector('dd')?.textContent

describe('the page of coverage', () => {
  test('without counties it says so, and still has the service’s figures', async () => {
    await openWith({})
    await find('.empty', 'There are no counties yet.')
    expect(figure('Counties')).toBe('0')
    // The page has requested the signed-in person before.
    expect(figure('Median response')).toMatch(/^(–|[\d.]+ m?s)$/)
  })

  test('one county: parcels, fill rates by field, the age of its data with the date, and no key needed', async () => {
    await openWith({ ash: 4 })
    expect(figure('Parcels')).toBe('4')
    expect(rows()).toBe('ash')
    const bars = await find<SVGElement>('svg.fill-bars')
    expect(bars.getAttribute('aria-label')).toContain('Owner name 50.0%')
    expect(bars.getAttribute('aria-label')).toContain('Boundary 0%')
    const age = await find('tbody time[datetime="2020-01-02"]')
    expect(age.textContent).toMatch(/years ago \(old\)$/)
    expect(age.getAttribute('title')).toBe('Jan 2, 2020')
  })

  test('many counties: sorted, found by name, narrowed by the state of the source', async () => {
    await openWith({ ash: 1, elm: 12, oak: 3 })
    expect(rows()).toBe('ash elm oak')
    const byParcels = await find('thead button', 'Parcels')
    byParcels.click()
    await find('thead th[aria-sort=descending]', 'Parcels')
    expect(rows()).toBe('elm oak ash')
    type(await find('input[type=search]'), 'oa')
    await gone('tbody th', 'elm')
    expect(rows()).toBe('oak')
    type(await find('input[type=search]'), '')
    await find('tbody th', 'elm')
    const [, status] = elements('.filters select')
    if (status === undefined) throw new Error('there is no filter for the source')
    type(status, 'inactive')
    await gone('tbody th', 'oak')
    expect(rows()).toBe('elm')
  })
})
