import { expect, test } from 'bun:test'
import { webRoutes } from '../../../src/http/web/web'

test('a failed bundle is built again at the next request, and a good one is kept', async () => {
  let made = 0
  const bundleApp = async () => {
    if (++made === 1) throw new Error('no room on the disk')
    return { page: '<html lang="en"></html>', assets: new Map() }
  }
  const app = webRoutes({ openApi: async () => '{}', baseUrl: 'http://localhost', bundleApp })
  const ask = async () => (await app.handle(new Request('http://localhost/app'))).status
  expect(await Promise.all([ask(), ask()])).toEqual([500, 500])
  expect(made).toBe(1)
  expect([await ask(), await ask()]).toEqual([200, 200])
  expect(made).toBe(2)
})

test('the page names the operator’s base map, and may connect to its origin and no other', async () => {
  const bundleApp = async () => ({ page: '<html lang="en"><head></head></html>', assets: new Map() })
  const ask = async (basemapUrl: string | null) => {
    const app = webRoutes({ openApi: async () => '{}', baseUrl: 'http://localhost', bundleApp, basemapUrl })
    const response = await app.handle(new Request('http://localhost/map'))
    return { page: await response.text(), policy: response.headers.get('content-security-policy') ?? '' }
  }
  const { page, policy } = await ask('https://maps.example/style.json?key="1"&v=2')
  expect(page).toContain('<meta name="base-map" content="https://maps.example/style.json?key=&quot;1&quot;&amp;v=2">')
  expect(policy).toContain("connect-src 'self' https://maps.example;")
  const without = await ask(null)
  expect(without.page).not.toContain('base-map')
  expect(without.policy).toContain("connect-src 'self';")
})
