import { expect, test } from 'bun:test'
import { createTestApp } from '../test-app'

const { app } = await createTestApp()
const get = (path: string, accept: string) =>
  app.handle(new Request(`http://localhost${path}`, { headers: { accept } })) as Promise<Response>

test('an unknown address of the app returns the app with status 404', async () => {
  for (const path of [
    '/app/no-such-page',
    '/app/parcels/sample-county',
    '/app/console/no-such-page',
    '/app/search/x',
  ]) {
    const page = await get(path, 'text/html')
    expect([path, page.status, page.headers.get('etag')]).toEqual([path, 404, null])
    expect(await page.text()).toContain('<script type="module"')
  }
  const known = ['/app', '/app/search', '/app/search/', '/app/parcels/sample-county/12%2F1', '/app/console', '/map']
  for (const path of known) expect([path, (await get(path, 'text/html')).status]).toEqual([path, 200])
})

test('for any other unknown address, a browser gets a page with links, and a program gets JSON', async () => {
  const page = await get('/nowhere/at?all', 'text/html,application/xhtml+xml,*/*;q=0.8')
  expect(page.status).toBe(404)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('x-request-id')).not.toBeNull()
  const text = await page.text()
  expect(text).toContain('<h1>Page not found</h1>')
  for (const href of ['/app/search', '/map', '/docs']) expect(text).toContain(`<a href="${href}">`)
  // The page does not repeat the requested URL.
  expect(text).not.toContain('nowhere')

  const answer = await get('/nowhere', 'application/json')
  expect([answer.status, await answer.json()]).toEqual([404, { error: 'no such route' }])
})
