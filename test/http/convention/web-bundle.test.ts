import { expect, test } from 'bun:test'
import { webRoutes } from '../../../src/http/routes/web/web'

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
