import { afterAll, expect, test } from 'bun:test'
import Ajv, { type ValidateFunction } from 'ajv'
import fc from 'fast-check'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../../search/search'
import { testMeilisearch } from '../../support/servers'
import { insertCrawl } from '../../work/crawls/crawl-rows'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'
import { toJsonSchema } from './openapi/document-schemas'
import { type GeneratedRequest, hostileText, requestsFrom } from './openapi/openapi-requests'

/*
 * Requests generated from the OpenAPI document, over a real port. For each: no 5xx, a response in time, a body that matches the
 * document, and no internals in an error.
 */
const { app, sql, url, call, readKey, signIn, useSearch } = await createTestApp()
await insertCounty(sql)
await seedSampleCounty(sql, { parcels: 500, entities: 30 })
// The parcels and sources of the document's examples exist.
const EXAMPLE_ID = '019b76da-8c00-7000-8000-000000000001'
const EXAMPLE_PARCEL = '12-0345-0670'
await upsertParcels(sql, 'sample-county', [{ sourceParcelId: EXAMPLE_PARCEL, ownerName: 'MARLOWE ROSE' }])
await sql`
  insert into scrape_jobs (id, source, source_parcel_id, vendor, status, attempts, started_at, finished_at)
  select ${EXAMPLE_ID}, source, ${EXAMPLE_PARCEL}, vendor, 'done', 1, now(), now() from sources where source = 'sample-county'`
await insertCrawl(sql, 'sample-county', { id: EXAMPLE_ID, status: 'done', finishedAt: new Date().toISOString() })
const indexPrefix = `${url.split('/').at(-1)}_`
useSearch(createSearch({ sql, meili: testMeilisearch(), indexPrefix }))
app.listen({ port: 0, hostname: '127.0.0.1' })
afterAll(() => app.stop())
const base = `http://127.0.0.1:${app.server?.port}`
// The first page bundles the app, and the first document is built, which takes longer than a request may.
for (const path of ['/docs', '/openapi.json']) await (await fetch(`${base}${path}`)).text()
const signInPerson = async () => (await signIn({ role: 'admin', plan: 'paid' })).headers
const credentials: Record<GeneratedRequest['caller'], Record<string, string>> = {
  admin: { 'x-service-key': ADMIN_KEY },
  person: await signInPerson(),
  read: { 'x-service-key': await readKey() },
  unknown: { 'x-service-key': 'pk_'.padEnd(67, '0') },
  none: {},
}

const { body: document } = await call('/openapi.json', { key: null })

/** A busy machine has taken fifteen times as long as an idle one, which needs 8 s. */
const LIMIT_MS = 300_000
const REQUESTS = 5_000
const LONGEST_MS = 5_000
/** Words that only internals contain: the language, the database, libraries, files. */
const INSIDE =
  /\bat .+:\d+:\d+|node_modules|\.ts\b|postgres|syntax error at|relation "|TypeError|undefined is not|meili/i

const ajv = new Ajv({ strict: false, validateFormats: false })
const validators = new Map<string, ValidateFunction | null>()
/** Checks a body of `status` against the document. Null if the document has no JSON schema for it. */
const validatorOf = ({ template, method }: GeneratedRequest, status: number): ValidateFunction | null => {
  const name = `${method} ${template} ${status}`
  const known = validators.get(name)
  if (known !== undefined) return known
  const responses = document.paths[template][method.toLowerCase()].responses
  const response = toJsonSchema(responses[status] ?? responses[`${String(status)[0]}XX`], document)
  if (response === undefined) throw new Error(`${name} is not in the document`)
  const schema = response.content?.['application/json']?.schema
  const validator = schema === undefined ? null : ajv.compile(schema)
  validators.set(name, validator)
  return validator
}

test(
  'no input causes a 5xx, and each response matches the OpenAPI document',
  async () => {
    const seen = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(requestsFrom(document), async (request) => {
        const started = performance.now()
        // A caller who asks the service to wait would wait.
        const path = request.path.replace(/\bwait=\d+/, 'wait=0')
        const response = await fetch(`${base}${path}`, {
          method: request.method,
          headers: {
            ...credentials[request.caller],
            ...(request.body === null || request.contentType === null ? {} : { 'content-type': request.contentType }),
          },
          ...(request.body === null ? {} : { body: request.body }),
          redirect: 'manual',
          signal: AbortSignal.timeout(LONGEST_MS),
        })
        // A stream does not end, so only its start is checked.
        const isStream = response.headers.get('content-type') === 'text/event-stream'
        if (isStream) await response.body?.cancel()
        const text = isStream ? '' : await response.text()
        const told = `${request.method} ${request.path.slice(0, 300)} ${request.body?.slice(0, 300)} -> ${response.status} ${text.slice(0, 300)}`
        expect(performance.now() - started, told).toBeLessThan(LONGEST_MS)
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
        // Otherwise the first sign-out would turn all later requests of the person into 401.
        if (request.template === '/auth/sign-out') credentials.person = await signInPerson()
        expect(response.status, told).not.toBe(500)
        // A generated path can become another route's path, or no route's.
        const bent =
          (response.status === 404 && text === '{"error":"no such route"}') ||
          new URL(`${base}${request.path}`).pathname !== request.path.split(/[?#]/)[0]
        if (response.status >= 400) expect(text.replace(/"[^"]*"$/, ''), told).not.toMatch(INSIDE)
        if (!bent && response.headers.get('content-type')?.startsWith('application/json')) {
          const validate = validatorOf(request, response.status)
          expect(validate?.(JSON.parse(text)), `${told} ${JSON.stringify(validate?.errors?.[0])}`).not.toBe(false)
        }
      }),
      { numRuns: REQUESTS, seed: 8 },
    )
    // A fuzzer that only gets refusals tests nothing else.
    const answered = [...seen].filter(([status]) => status < 400).reduce((sum, [, count]) => sum + count, 0)
    expect(answered).toBeGreaterThan(REQUESTS / 5)
    for (const status of [400, 401, 403, 404, 415]) expect(seen.get(status) ?? 0, String(status)).toBeGreaterThan(0)
  },
  LIMIT_MS,
)

test('an unknown path is an error with the usual body', async () => {
  const paths = fc.array(hostileText, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
  await fc.assert(
    fc.asyncProperty(paths, fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT'), async (path, method) => {
      const { status, body, text } = await call(path, { method })
      expect(status, `${method} ${path}: ${text}`).toBeOneOf([400, 404, 405])
      expect(body).toEqual({ error: expect.any(String) })
    }),
    { numRuns: 500, seed: 8 },
  )
})
