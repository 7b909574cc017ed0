import { expect, test } from 'bun:test'
import { checkConfig } from '../../adapters/check-config'
import { findAdapter } from '../../adapters/registry'
import { reportUrl } from '../../adapters/vendors/schneider-beacon-qpublic/fetch'
import { listCountyPortals } from '../../drizzle/seed/seed'

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

test('each seeded Beacon portal has the address of its reports, or says what to look up and where', () => {
  const beacon = portals.filter(({ vendor }) => vendor === 'schneider-beacon-qpublic')
  const unknown = beacon.flatMap(({ county_name, base_url, vendor_config }) => {
    const target = { baseUrl: base_url, sourceParcelId: '12-34' } as Parameters<typeof reportUrl>[0]
    try {
      const query = new URL(reportUrl(target, { labels: {}, values: {}, ...vendor_config })).searchParams
      expect(Object.fromEntries(query)).toMatchObject({ PageTypeID: '4', KeyValue: '12-34' })
      return []
    } catch (error) {
      const said = String(error)
      expect(said).toContain('Open base_url in a browser')
      return county_name
    }
  })
  expect(beacon).toHaveLength(20)
  expect(unknown).toEqual(['Hardin', 'Hocking', 'Huron'])
})
