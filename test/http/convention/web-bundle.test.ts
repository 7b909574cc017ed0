import { expect, test } from 'bun:test'
import { webRoutes } from '../../../src/http/web/web'
import { bundleWeb } from '../../../src/http/web/web-bundle'
import { PAGE_MODULES } from '../../../src/web/app/page-paths'

test('a failed bundle is built again at the next request, and a good one is kept', async () => {
  let made = 0
  const bundleApp = async () => {
    if (++made === 1) throw new Error('no room on the disk')
    return { page: '<html lang="en"></html>', assets: new Map(), scripts: new Map() }
  }
  const app = webRoutes({ openApi: async () => '{}', baseUrl: 'http://localhost', bundleApp })
  const ask = async () => (await app.handle(new Request('http://localhost/app'))).status
  expect(await Promise.all([ask(), ask()])).toEqual([500, 500])
  expect(made).toBe(1)
  expect([await ask(), await ask()]).toEqual([200, 200])
  expect(made).toBe(2)
})

test('the page names the operator’s base map, and may connect to its origin and no other', async () => {
  const bundleApp = async () => ({
    page: '<html lang="en"><head></head></html>',
    assets: new Map(),
    scripts: new Map(),
  })
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

test('each page is sent with links to the scripts that it opens with, and they are few', async () => {
  const app = webRoutes({
    openApi: async () => JSON.stringify({ paths: {}, components: { schemas: {} } }),
    baseUrl: 'http://localhost',
  })
  const { assets } = await bundleWeb()
  const lines = (await Bun.file(`${import.meta.dir}/../../../src/web/app/app.tsx`).text()).split('\n')
  for (const [path, module] of Object.entries(PAGE_MODULES)) {
    expect(lines.find((line) => line.includes(`'${path}': `))).toContain(`import('./pages/${module}')`)
    const response = await app.handle(new Request(`http://localhost${path.replaceAll(/:\w+/g, 'a')}`))
    const scripts = [...(await response.text()).matchAll(/<link rel="modulepreload" href="([^"]+)">/g)].map(
      ([, script]) => script ?? '',
    )
    expect(scripts[0]).toMatch(new RegExp(`^/app/assets/${module.split('/').at(-1)}-\\w+\\.js$`))
    for (const script of scripts) expect(assets.has(script)).toBe(true)
    // Over HTTP/1.1 a browser requests six at a time.
    expect(scripts.length).toBeLessThan(20)
  }
})
