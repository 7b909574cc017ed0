import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestApp } from './test-app'

const { call } = await createTestApp({ baseUrl: 'https://parcels.example' })
const { body: document } = await call('/openapi.json', { key: null })

test('a strict linter finds nothing wrong with the document', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'openapi-'))
  const file = join(dir, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const lint = Bun.spawn(
    ['bunx', '--bun', 'redocly', 'lint', '--config', 'redocly.yaml', '--format', 'stylish', file],
    {
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  const [code, out, err] = await Promise.all([
    lint.exited,
    new Response(lint.stdout).text(),
    new Response(lint.stderr).text(),
  ])
  rmSync(dir, { recursive: true })
  expect(code, out + err).toBe(0)
}, 60_000)

/** The routes of the contract, and those that people and their pages need. */
const ROUTES = [
  'GET /health',
  'GET /openapi.json',
  'GET /docs',
  'GET /llms.txt',
  'GET /.well-known/ai-plugin.json',
  'GET /tiles/manifest.json',
  'GET /v1/sources',
  'PATCH /v1/sources/{source}',
  'PATCH /v1/source-refresh-policies/{source}',
  'GET /v1/parcels/{source}/{id}',
  'GET /v1/parcels',
  'GET /v1/search',
  'GET /v1/findings/{source}/{id}',
  'POST /v1/parcels/{source}/{id}/scrape-now',
  'GET /v1/scrape-jobs',
  'GET /v1/scrape-jobs/{id}',
  'POST /v1/scrape-jobs',
  'POST /v1/scrape-jobs/enqueue-ag-county',
  'DELETE /v1/scrape-jobs/{id}',
  'GET /v1/admin/concurrency',
  'PATCH /v1/admin/concurrency/{vendor}',
  'POST /v1/admin/concurrency/run-tuner',
  'GET /v1/admin/tuning-log',
  'GET /v1/admin/sources/health',
  'GET /v1/account',
  'GET /v1/account/keys',
  'POST /v1/account/keys',
  'DELETE /v1/account/keys/{id}',
  'GET /v1/admin/accounts',
  'PATCH /v1/admin/accounts/{id}',
  'DELETE /v1/admin/accounts/{id}',
  'GET /auth/sign-in',
  'GET /auth/callback',
  'POST /auth/sign-out',
]

test('every word that stands in a path has an example', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document is what the service says
  for (const [path, item] of Object.entries<any>(document.paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    for (const [method, { parameters = [] }] of Object.entries<any>(item)) {
      for (const { in: place, name, schema, example = schema.example } of parameters) {
        if (place === 'path' && schema.type === 'string') expect(example, `${method} ${path} ${name}`).toBeString()
      }
    }
  }
})

test('every route is in the document, in both forms, with its error answers and an example', () => {
  for (const route of ROUTES) {
    const [method = '', path = ''] = route.split(' ')
    const operation = document.paths[path]?.[method.toLowerCase()]
    expect(operation, route).toBeDefined()
    expect(operation.summary, route).toBeString()
    if (!path.startsWith('/v1/')) continue
    const success = '201' in operation.responses ? '201' : '200'
    expect(Object.keys(operation.responses), route).toEqual(
      expect.arrayContaining([success, '400', '401', '403', '500', '503']),
    )
    expect(operation.responses[success].content['application/json'].example, route).toBeDefined()
    if (['PATCH', 'POST'].includes(method) && path !== '/v1/admin/concurrency/run-tuner') {
      expect(Object.keys(operation.responses), route).toEqual(expect.arrayContaining(['404', '413', '415']))
      expect(operation.requestBody.content['application/json'].example, route).toBeDefined()
    }
    expect(document.paths[path.slice(3)][method.toLowerCase()].deprecated, route).toBe(true)
  }
})

test('what takes a key takes a session as well; what is about a person takes a session alone', () => {
  expect(document.components.securitySchemes).toMatchObject({
    ServiceKey: { in: 'header', name: 'X-Service-Key' },
    Session: { in: 'cookie', name: 'pds_session' },
  })
  expect(document.security).toEqual([{ ServiceKey: [] }, { Session: [] }])
  expect(document.paths['/v1/search'].get.security).toBeUndefined()
  expect(document.paths['/v1/account'].get.security).toEqual([{ Session: [] }])
})

test('nothing of the libraries is left in the document', () => {
  for (const word of [
    'elysiaMeta',
    '"$id"',
    '"takes"',
    '"refusal"',
    'multipart/form-data',
    '"const"',
    '"numeric"',
    '"type":"null"',
  ]) {
    expect(JSON.stringify(document)).not.toContain(word)
  }
})

test('numbers of a query are plain numbers', () => {
  const limit = document.paths['/v1/parcels'].get.parameters.find(
    (parameter: { name: string }) => parameter.name === 'limit',
  )
  expect(limit.schema).toEqual({ type: 'integer', minimum: 1, maximum: 5000 })
})

test('the API page comes whole from this service', async () => {
  const page = await call('/docs', { key: null })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
  expect(assets.length).toBeGreaterThan(2)
  for (const asset of assets) {
    expect(asset).toStartWith('/docs/')
    expect((await call(asset, { key: null })).status).toBe(200)
  }
})

test('the plugin manifest and llms.txt point at the document', async () => {
  expect((await call('/.well-known/ai-plugin.json', { key: null })).body.api).toEqual({
    type: 'openapi',
    url: 'https://parcels.example/openapi.json',
  })
  const llms = await call('/llms.txt', { key: null })
  expect(llms.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(llms.text).toContain('https://parcels.example/openapi.json')
})
