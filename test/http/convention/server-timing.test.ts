import { expect, test } from 'bun:test'
import { connectDatabase } from '../../../core/postgres/database'
import { createSearch } from '../../../search/search'
import { issueKey } from '../../../src/people/issue-key'
import { createTestDatabase, testMeilisearch } from '../../support/servers'
import { createTestApp, insertCounty } from '../test-app'

const { url } = await createTestDatabase()
const sql = connectDatabase(url, { timed: true })
const { call, readKey, signIn, useSearch } = await createTestApp({ sql })
await insertCounty(sql)

const timesOf = (headers: Headers): Record<string, number> =>
  Object.fromEntries(
    [...(headers.get('server-timing') ?? '').matchAll(/(\w+);dur=([\d.]+)/g)].map(([, name, ms]) => [name, Number(ms)]),
  )

test('an admin sees the time of the database, of the search and in total', async () => {
  const listed = await call('/v1/sources')
  expect(listed.headers.get('server-timing')).toMatch(/^db;dur=\d+\.\d, total;dur=\d+\.\d$/)

  useSearch(createSearch({ sql, meili: testMeilisearch(), indexPrefix: 'server_timing_' }))
  const searched = timesOf((await call('/v1/search?q=juniper')).headers)
  expect(Object.keys(searched).sort()).toEqual(['db', 'search', 'total'])
  expect(Math.max(searched.db ?? 0, searched.search ?? 0)).toBeLessThanOrEqual(searched.total ?? 0)
})

test('database time is wall time: parallel statements count once', async () => {
  const ended = Promise.withResolvers<void>()
  useSearch({
    search: async ({ q }) => {
      if (q === 'idle') await ended.promise
      else {
        await Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.5)`))
        await sql.begin((tx) => tx`select pg_sleep(0.1)`)
        ended.resolve()
        await Bun.sleep(100)
      }
      return { hits: [], total: 0, isTotalExact: true, next: null, degraded: false, corrected: null }
    },
  })
  const [idle, slow] = (await Promise.all([call('/v1/search?q=idle'), call('/v1/search?q=juniper')])).map(
    ({ headers }) => timesOf(headers),
  )
  // In sequence they would take 4.1 s.
  expect(slow?.db).toBeWithin(590, 4_000)
  expect((slow?.total ?? 0) - (slow?.db ?? 0)).toBeGreaterThan(95)
  // Statements of other requests are not counted: this one has waited for them, and has none.
  expect(idle?.total).toBeGreaterThan(590)
  expect(idle?.db ?? 0).toBe(0)
})

test('a signed-in admin sees it too; a member does not', async () => {
  const timesFor = async (role: 'admin' | 'member') =>
    timesOf((await call('/v1/sources', { key: null, headers: (await signIn({ role })).headers })).headers)
  expect(Object.keys(await timesFor('admin'))).toEqual(['db', 'total'])
  expect(await timesFor('member')).toEqual({})
})

test('callers with another key, no key or a refused key do not see it', async () => {
  const enqueue = (await issueKey(sql, { name: 'partner', capabilities: ['enqueue'] })).key
  for (const [path, key] of [
    ['/v1/sources', await readKey()],
    ['/v1/sources', enqueue],
    ['/v1/sources', 'nobody'],
    ['/v1/sources', null],
    ['/health', null],
  ] as const) {
    expect((await call(path, { key })).headers.get('server-timing')).toBeNull()
  }
  expect((await call('/v1/parcels/elm/none')).headers.get('server-timing')).toContain('total;dur=')
})

test('an admin sees the time of a statement that several requests share', async () => {
  const together = await Promise.all(['1', '2', '3'].map((id) => call(`/v1/parcels/elm/${id}`)))
  for (const { headers } of together) expect(Object.keys(timesOf(headers))).toEqual(['db', 'total'])
})
