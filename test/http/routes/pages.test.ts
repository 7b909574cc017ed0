import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPageKeeper } from '../../../src/scrape/pages/keep-pages'
import { createPageStore } from '../../../src/scrape/pages/page-store'
import { insertSource } from '../../jobs/job-rows'
import { createTestApp } from '../test-app'

const folder = mkdtempSync(join(tmpdir(), 'pages-'))
afterAll(() => rmSync(folder, { recursive: true }))
const pageStore = createPageStore(folder)
const { call, sql, readKey } = await createTestApp({ pageStore })
await insertSource(sql, 'elm', 'test')

const FETCHED_AT = new Date().toISOString()
const BODY = '<html><script>alert(1)</script><p>Owner: ADA</p></html>'
const keeper = createPageKeeper({ sql, store: pageStore, maxBytes: 1024 ** 3 })
const kept = keeper.keep({
  source: 'elm',
  sourceParcelId: 'a/1',
  answers: [
    {
      name: 'property',
      asked: { method: 'GET', url: 'https://portal.example/p?id=1' },
      url: 'https://portal.example/p/1',
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: BODY,
    },
  ],
  answeredAt: [FETCHED_AT],
  adapter: 'test',
  overrides: {},
  failure: { code: 'page_changed', message: 'no "Owner"' },
})
await keeper.stop()
const hash = kept?.hash ?? ''
const pages = '/v1/parcels/elm/a%2F1/pages'

test('200: an admin lists the kept pages of a parcel, even if the parcel is not stored', async () => {
  const { status, body } = await call(pages)
  expect(status).toBe(200)
  expect(body).toEqual({
    count: 1,
    pages: [
      {
        ...{ hash, fetched_at: FETCHED_AT, outcome: 'page_changed', message: 'no "Owner"' },
        ...{ adapter: 'test', version: expect.any(String), answers: 1, size_bytes: expect.any(Number) },
      },
    ],
  })
  expect((await call('/v1/parcels/elm/none/pages')).body).toEqual({ count: 0, pages: [] })
})

test('200: a kept page is plain text that no browser renders', async () => {
  const { status, headers, text } = await call(`${pages}/${hash}`, { headers: { accept: 'text/html' } })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).toContain(BODY)
  expect(text).toStartWith(
    '=== property: GET https://portal.example/p?id=1 -> https://portal.example/p/1 (200, text/html)\n',
  )
})

test('403 without admin, and 404 for an unknown page, a page of another parcel, or one that is no longer stored', async () => {
  const key = await readKey()
  for (const path of [pages, `${pages}/${hash}`]) expect((await call(path, { key })).status).toBe(403)
  for (const path of [`${pages}/${'0'.repeat(64)}`, `${pages}/..%2F..%2Fetc`, `/v1/parcels/elm/2/pages/${hash}`]) {
    expect(await call(path)).toMatchObject({ status: 404, body: { error: 'not found' } })
  }
  await pageStore.remove(hash)
  expect((await call(`${pages}/${hash}`)).status).toBe(404)
})
