import { expect, test } from 'bun:test'
import { webRoutes } from '../../../src/http/routes/web'

test('a bundle that failed is made again for the next who asks, and one that did not is kept', async () => {
  let made = 0
  const app = webRoutes(async () => {
    if (++made === 1) throw new Error('no room on the disk')
    return { pages: { app: '<html lang="en"></html>', map: '' }, assets: new Map() }
  })
  const ask = async () => (await app.handle(new Request('http://localhost/app'))).status
  expect(await Promise.all([ask(), ask()])).toEqual([500, 500])
  expect(made).toBe(1)
  expect([await ask(), await ask()]).toEqual([200, 200])
  expect(made).toBe(2)
})
