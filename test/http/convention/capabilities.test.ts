import { expect, test } from 'bun:test'
import { createTestApp } from '../test-app'

/*
 * Every route that the service lists, called by each kind of caller that may not use it. A new route without an access check fails
 * here.
 */
const { app, call, signIn, readKey } = await createTestApp()

/** Public routes: those of the contract, the pages, and files of exports, whose URL is signed. */
const PUBLIC =
  /^\/($|(v1\/)?coverage$|(v1\/)?exports\/:id\/file$|health$|openapi\.json$|docs(\/|$)|llms\.txt$|\.well-known\/|tiles\/|map(\/|$)|app(\/|$)|assets\/|auth\/)/
/** Routes that need a session but no capability. */
const PERSONAL = /^(\/v1)?\/account(\/|$)/
/** Routes that need `enqueue`. All other changes need admin. */
const ENQUEUES = /\/(scrape-now|scrape-jobs|enqueue-ag-county|scrape-jobs\/refresh)$/
/** Every key may send messages. Each tool checks its own capability (test/http/mcp/mcp.test.ts). */
const MESSAGES = /^\/mcp$/
/** Routes that need `bulk-export`. test/exports/exports.test.ts has keys with and without it, and strangers. */
const EXPORTS = /^(\/v1)?\/exports(\/|$)/
/** Every key may read with a body. */
const READS = /\/parcels\/within$/
/** Every key may change what it owns. test/http/routes/watches.test.ts, matches.test.ts and portfolios.test.ts have strangers try. */
const OWNED = /^(\/v1)?\/(watches|uploads|matches|portfolios|saved-searches)(\/|$)/
/** Routes that only admins may read: accounts, what admins did, and crawls. */
const ADMINS_READ = /\/admin\/(accounts|actions|sources\/:source\/crawls(\/:id)?)$/

const routes = app.routes
  .filter(({ path }) => !PUBLIC.test(path))
  .map(({ method, path }) => ({ method, path, url: path.replace(/:\w+/g, 'x') }))
const changes = routes.filter(({ method, path }) => method !== 'GET' && !PERSONAL.test(path))
const adminRoutes = routes.filter(
  ({ method, path }) =>
    !PERSONAL.test(path) &&
    !OWNED.test(path) &&
    !READS.test(path) &&
    !MESSAGES.test(path) &&
    !EXPORTS.test(path) &&
    (method === 'GET' ? ADMINS_READ.test(path) : !(method === 'POST' && ENQUEUES.test(path))),
)

const member = await signIn()
const paid = await signIn({ plan: 'paid' })
const admin = await signIn({ role: 'admin' })
const nobody = { cookie: `pds_session=${'0'.repeat(64)}`, origin: 'http://localhost' }
const key = await readKey()

const tryAs = (
  headers: Record<string, string> | null,
  { method, url }: { method: string; url: string },
  given?: string,
) => call(url, { method, key: given ?? null, headers: headers ?? {}, ...(method === 'GET' ? {} : { body: '{' }) })

test('the table lists real routes, including the operator routes of the contract', () => {
  const listed = adminRoutes.map(({ method, path }) => `${method} ${path}`)
  expect(listed).toEqual(
    expect.arrayContaining([
      'PATCH /v1/sources/:source',
      'PATCH /sources/:source',
      'PATCH /v1/source-refresh-policies/:source',
      'DELETE /v1/scrape-jobs/:id',
      'DELETE /scrape-jobs/:id',
      'PATCH /v1/admin/concurrency/:vendor',
      'POST /v1/admin/concurrency/run-tuner',
      'GET /v1/admin/sources/:source/crawls',
      'POST /v1/admin/sources/:source/crawls',
      'DELETE /v1/admin/sources/:source/crawls/:id',
      'GET /v1/admin/accounts',
      'PATCH /v1/admin/accounts/:id',
      'DELETE /v1/admin/accounts/:id',
    ]),
  )
})

test('without a key or session only public routes answer', async () => {
  for (const route of routes) {
    expect((await tryAs(null, route)).status, `${route.method} ${route.path}`).toBe(401)
    expect((await tryAs(nobody, route)).status, `${route.method} ${route.path}`).toBe(401)
  }
})

test('operator routes refuse members, paying members and read-only keys before the request is validated', async () => {
  for (const route of adminRoutes) {
    const name = `${route.method} ${route.path}`
    expect((await tryAs(member.headers, route)).status, `${name} as member`).toBe(403)
    expect((await tryAs(paid.headers, route)).status, `${name} as paying member`).toBe(403)
    expect((await tryAs(null, route, key)).status, `${name} with a reading key`).toBe(403)
  }
})

test('requesting scrapes needs a paid plan', async () => {
  for (const route of changes.filter(({ method, path }) => method === 'POST' && ENQUEUES.test(path))) {
    const name = `${route.method} ${route.path}`
    expect((await tryAs(member.headers, route)).status, `${name} as member`).toBe(403)
    expect((await tryAs(null, route, key)).status, `${name} with a reading key`).toBe(403)
    expect((await tryAs(paid.headers, route)).status, `${name} as paying member`).toBe(400)
  }
})

test('exporting needs a paid plan or a key with bulk-export', async () => {
  const exporting = routes.filter(({ path }) => EXPORTS.test(path))
  expect(exporting).toHaveLength(8)
  for (const route of exporting) {
    const name = `${route.method} ${route.path}`
    expect((await tryAs(member.headers, route)).status, `${name} as member`).toBe(403)
    expect((await tryAs(null, route, key)).status, `${name} with a reading key`).toBe(403)
    expect((await tryAs(paid.headers, route)).status, `${name} as paying member`).not.toBe(403)
  }
})

test('a page of another site cannot use a session to change anything', async () => {
  for (const route of routes.filter(({ method }) => method !== 'GET')) {
    for (const origin of [undefined, 'null', 'https://evil.example']) {
      const headers = { cookie: admin.cookie, ...(origin === undefined ? {} : { origin }) }
      expect((await tryAs(headers, route)).status, `${route.method} ${route.path} from ${origin}`).toBe(403)
    }
  }
})
