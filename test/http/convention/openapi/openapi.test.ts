import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv from 'ajv'
import openapiTs, { astToString } from 'openapi-typescript'
import { version } from '../../../../package.json'
import type { ExportFormat } from '../../../../src/exports/export-format'
import { FORMATS } from '../../../../src/exports/formats'
import { GUIDE, LANGUAGES, toProgram } from '../../../../src/web/app/pages/docs/guide'
import { createTestApp } from '../../test-app'
import { toJsonSchema } from './document-schemas'
import { withoutReferences } from './openapi-requests'

// biome-ignore lint/suspicious/noExplicitAny: the document is data
type Json = any

const { app, call } = await createTestApp({ baseUrl: 'https://parcels.example' })
const { body: document, text: documentText } = await call('/openapi.json', { key: null })
const paths = withoutReferences(document.paths, document)

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
})

test('the document and the newest entry of the changelog have the version of package.json', () => {
  const [, newest] = /^## (\S+)/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? []
  expect([document.info.version, newest]).toEqual([version, version])
})

/** The routes of the contract, and those of the web app. */
const ROUTES = [
  'GET /health',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/reference',
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

test('every path parameter has an example', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the document is data
  for (const [path, item] of Object.entries<any>(paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    for (const [method, { parameters = [] }] of Object.entries<any>(item)) {
      for (const { in: place, name, schema, example = schema.example } of parameters) {
        if (place === 'path' && schema.type === 'string') expect(example, `${method} ${path} ${name}`).toBeString()
      }
    }
  }
})

test('every route is in the document, with its error responses and an example', () => {
  for (const route of ROUTES) {
    const [method = '', path = ''] = route.split(' ')
    const operation = paths[path]?.[method.toLowerCase()]
    expect(operation, route).toBeDefined()
    expect(operation.summary, route).toBeString()
    if (!path.startsWith('/v1/')) continue
    const success = '201' in operation.responses ? '201' : '200'
    expect(Object.keys(operation.responses), route).toEqual(
      expect.arrayContaining([success, '400', '401', '403', '500', '503']),
    )
    const { schema, example = schema.example } = operation.responses[success].content['application/json']
    expect(example, route).toBeDefined()
    if (['PATCH', 'POST'].includes(method) && path !== '/v1/admin/concurrency/run-tuner') {
      expect(Object.keys(operation.responses), route).toEqual(expect.arrayContaining(['404', '413', '415']))
      expect(operation.requestBody.content['application/json'].example, route).toBeDefined()
    }
  }
})

test('every query parameter that a route reads is in the document', () => {
  for (const { method, path, hooks } of app.routes) {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    if (operation === undefined || hooks.query === undefined) continue
    const named = (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'query')
    expect(
      named.map((parameter: Json) => parameter.name),
      `${method} ${path}`,
    ).toEqual(expect.arrayContaining(Object.keys(hooks.query.properties)))
  }
  const { parameters } = paths['/v1/events'].get
  expect(parameters.map((parameter: Json) => parameter.name)).toEqual(['types', 'after', 'Last-Event-ID'])
})

test('the query parameters that a route refuses are named in its description', () => {
  const refusing = app.routes.filter(({ hooks }) => Object.keys(hooks.query?.refused ?? {}).length > 0)
  expect(refusing.length).toBeGreaterThan(2)
  for (const { method, path, hooks } of refusing) {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    if (operation === undefined) continue
    const text = `${operation.description} ${JSON.stringify(operation.requestBody ?? '')}`
    for (const name of Object.keys(hooks.query.refused)) {
      expect(text.includes(`\`${name}\``) || text.includes(`"${name}"`), `${method} ${path} ${name}`).toBe(true)
    }
  }
})

test('the headers of files and of what a request created are in the document', () => {
  const headersOf = (method: string, path: string, status: number) =>
    Object.keys(paths[path][method].responses[status].headers)
  for (const path of ['/v1/matches/{id}/results', '/v1/work/{id}/rejects', '/v1/sources/{source}/proof/export']) {
    expect(headersOf('get', path, 200), path).toContain('Content-Disposition')
  }
  expect(headersOf('post', '/v1/exports', 200)).toEqual(
    expect.arrayContaining(['Content-Disposition', 'Link', 'X-Dataset-Version']),
  )
  expect(headersOf('post', '/v1/exports', 202)).toContain('Location')
  expect(headersOf('get', '/v1/exports/{id}/file', 206)).toContain('Content-Disposition')
  for (const path of ['/v1/exports/{id}/file', '/tiles/{layer}/{hash}.pmtiles']) {
    for (const status of [206, 416]) {
      expect(headersOf('get', path, status), `${path} ${status}`).toEqual(
        expect.arrayContaining(['ETag', 'Accept-Ranges', 'Content-Range']),
      )
    }
  }
  for (const [path, method] of [
    ['/v1/events', 'get'],
    ['/v1/matches', 'post'],
  ] as const) {
    expect(headersOf(method, path, 429)).toContain('Retry-After')
  }
})

test('examples of bodies can be sent: times are in the future, and no server of another installation is named', () => {
  const bodyOf = (method: string, path: string) => paths[path][method].requestBody.content['application/json']
  const { until } = bodyOf('put', '/v1/alerts/{id}/silence').example
  const pause = bodyOf('put', '/v1/admin/concurrency/{vendor}/pause').schema.properties.until.example
  for (const time of [until, pause]) {
    const days = (Date.parse(time) - Date.now()) / 86_400_000
    expect([days > 1, days < 90], time).toEqual([true, true])
  }
  for (const work of ['check', 'rebuild']) {
    expect(bodyOf('post', `/v1/admin/search-index/${work}`).example).toEqual({})
  }
})

test('operations that take a key also take a session; account operations take only a session', () => {
  expect(document.components.securitySchemes).toMatchObject({
    ServiceKey: { in: 'header', name: 'X-Service-Key' },
    Session: { in: 'cookie', name: 'pds_session' },
  })
  expect(document.security).toEqual([{ ServiceKey: [] }, { Session: [] }])
  expect(document.paths['/v1/search'].get.security).toBeUndefined()
  expect(document.paths['/v1/account'].get.security).toEqual([{ Session: [] }])
})

test('the document does not reveal the libraries that made it', () => {
  for (const word of [
    'elysiaMeta',
    '"$id"',
    '"takes"',
    '"refusal"',
    '"component"',
    '"byDefault"',
    'x-conditional',
    'x-resumable',
    'x-idempotency-key',
    'x-headers',
    'multipart/form-data',
    '"const"',
    '"numeric"',
    '"type":"null"',
  ]) {
    expect(JSON.stringify(document)).not.toContain(word)
  }
})

test('query numbers have a plain number schema', () => {
  const limit = paths['/v1/parcels'].get.parameters.find((parameter: { name: string }) => parameter.name === 'limit')
  expect(limit.schema).toEqual({ type: 'integer', minimum: 1, maximum: 5000, default: 500 })
})

/** Every schema of the document with its path and its field name in the parent. */
const schemasOf = function* (): Generator<{ at: string; schema: Json; isField: boolean }> {
  const walk = function* (
    schema: Json,
    at: string,
    isField: boolean,
  ): Generator<{ at: string; schema: Json; isField: boolean }> {
    yield { at, schema, isField }
    for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) yield* walk(field, `${at}.${name}`, true)
    if (schema.items) yield* walk(schema.items, `${at}[]`, false)
    for (const branch of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) yield* walk(branch, `${at}|`, false)
  }
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) yield* walk(schema, name, false)
  for (const [at, operation] of operations) {
    const bodies = [operation.requestBody, ...Object.values<Json>(operation.responses)]
    for (const schema of bodies.map((body) => body?.content?.['application/json']?.schema)) {
      if (schema !== undefined) yield* walk(schema, at, false)
    }
    for (const { name, schema } of operation.parameters ?? [])
      if (schema) yield* walk(schema, `${at.replaceAll('.', '')} ${name}`, false)
  }
}
const operations: [string, Json][] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]): [string, Json] => [`${method} ${path}`, operation]),
)

test('paths without /v1 are not listed; the introduction describes them', () => {
  for (const [at, { deprecated, security }] of operations) {
    expect(deprecated, at).toBeUndefined()
    if (!at.includes(' /v1/')) expect(security, at).toEqual([])
  }
  for (const word of ['Deprecation', 'Sunset', 'successor-version', 'X-Request-Id', 'Retry-After']) {
    expect(document.info.description).toContain(word)
  }
})

test('every operation, parameter, body, field and named schema is described', () => {
  for (const [at, operation] of operations) {
    expect(operation.description, at).toBeString()
    expect(operation.summary, at).toBeString()
    if (operation.requestBody) expect(operation.requestBody.description, `${at} body`).toBeString()
  }
  for (const [at, operation] of Object.entries<Json>(paths)) {
    for (const { parameters = [], responses } of Object.values<Json>(operation)) {
      for (const { name, description } of parameters) expect(description, `${at} ${name}`).toBeString()
      for (const [status, { description }] of Object.entries<Json>(responses)) {
        expect(description.length, `${at} ${status}`).toBeGreaterThan(1)
      }
    }
  }
  for (const [name, { description }] of Object.entries<Json>(document.components.schemas)) {
    expect(description, name).toBeString()
  }
  for (const { at, schema, isField } of schemasOf()) {
    if (isField && !schema.$ref) expect(schema.description ?? schema.allOf?.[0]?.description, at).toBeString()
  }
})

test('every response has X-Request-Id, and every 503 has Retry-After', () => {
  for (const [at, item] of Object.entries<Json>(paths)) {
    for (const { responses } of Object.values<Json>(item)) {
      for (const [status, { headers }] of Object.entries<Json>(responses)) {
        expect(Object.keys(headers), `${at} ${status}`).toContain('X-Request-Id')
        if (status === '503') expect(Object.keys(headers), at).toContain('Retry-After')
        if (status === '304') expect(Object.keys(headers), at).toContain('ETag')
      }
    }
  }
  for (const [name, { description, example }] of Object.entries<Json>(document.components.headers)) {
    expect({ name, description, example }).toEqual({
      name,
      description: expect.any(String),
      example: expect.any(String),
    })
  }
})

test('every public document that has an ETag can respond 304', async () => {
  let conditional = 0
  for (const [path, { get }] of Object.entries<Json>(paths)) {
    if (get?.security?.length !== 0 || path.includes('{')) continue
    const { status, headers } = await call(path, { key: null })
    if (status !== 200 || !headers.has('etag')) continue
    conditional++
    expect(Object.keys(get.responses), path).toContain('304')
    expect(Object.keys(get.responses[200].headers), path).toContain('ETag')
  }
  expect(conditional).toBeGreaterThan(5)
})

test('files of exports have the media types of their formats', () => {
  const types = (formats: ExportFormat[]) => [
    ...formats.map(({ mediaType }) => mediaType.split(';')[0] ?? ''),
    'application/gzip',
  ]
  const contentOf = (operation: Json, status: number) => Object.keys(operation.responses[status].content)
  const all = Object.values(FORMATS)
  expect(contentOf(paths['/v1/exports'].post, 200)).toEqual(types(all.filter(({ isStreamable }) => isStreamable)))
  for (const status of [200, 206]) expect(contentOf(paths['/v1/exports/{id}/file'].get, status)).toEqual(types(all))
})

test('each resource has one named schema', () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      ...['Parcel', 'ParcelRow', 'Scrape', 'ParcelHit', 'EntityHit', 'OwnerGroup', 'Finding', 'Job', 'JobAttempt'],
      ...['Source', 'SourceHealth', 'RefreshPolicy', 'VendorConcurrency', 'TuningEntry', 'TunerDecision', 'Crawl'],
      ...['TileManifest', 'TileBuild', 'SearchIndex', 'Account', 'Key', 'IssuedKey', 'Error'],
    ]),
  )
  const named = new Map(
    Object.entries<Json>(document.components.schemas)
      .filter(([, { properties = {} }]) => Object.keys(properties).length > 2)
      .map(([name, { properties }]) => [Object.keys(properties).sort().join(), name]),
  )
  const seen = new Map<string, string>()
  for (const { at, schema } of schemasOf()) {
    const fields = Object.keys(schema.properties ?? {})
    if (fields.length < 3 || at in document.components.schemas) continue
    // Lists have an envelope: {count, rows, next}.
    if (fields.includes('count')) continue
    const key = fields.sort().join()
    expect([at, named.get(key)]).toEqual([at, undefined])
    expect([at, seen.get(key)]).toEqual([at, undefined])
    seen.set(key, at)
  }
})

test('optional query and body fields have their default in the document', () => {
  const defaults = Object.fromEntries(
    Object.entries<Json>(paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).flatMap(([method, { parameters = [] }]) =>
        parameters
          .filter(({ schema }: Json) => schema.default !== undefined)
          .map(({ name, schema }: Json) => [`${method} ${path} ${name}`, schema.default]),
      ),
    ),
  )
  expect(defaults).toMatchObject({
    'get /v1/parcels limit': 500,
    'get /v1/search limit': 20,
    'get /v1/search proximity_km': 50,
    'get /v1/search types': 'parcels,entities',
    'get /v1/search explain': '0',
    'get /v1/scrape-jobs limit': 100,
    'get /v1/findings/{source}/{id} limit': 100,
    'get /v1/admin/tuning-log limit': 50,
    'get /v1/admin/tiles limit': 50,
    'get /v1/admin/concurrency/{vendor}/history hours': 24,
    'get /v1/admin/sources/error-history days': 14,
    'get /auth/sign-in return_to': '/',
  })
  const { properties } = paths['/v1/scrape-jobs/enqueue-ag-county'].post.requestBody.content['application/json'].schema
  expect(properties).toMatchObject({ limit: { default: 100_000 }, skip_existing: { default: true } })
})

test("scrape-now's body is optional; a source_parcel_id is percent-encoded only in paths", () => {
  expect(paths['/v1/parcels/{source}/{id}/scrape-now'].post.requestBody.required).toBe(false)
  expect(paths['/v1/scrape-jobs'].post.requestBody.required).toBe(true)
  for (const { at, schema } of schemasOf()) {
    expect([at, schema.description ?? '']).toEqual([at, expect.not.stringContaining('percent-encoded')])
  }
})

test('each example matches its schema, every field has one, and none is empty or a limit value', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const check = (at: string, schema: Json, example: Json) => {
    const validate = ajv.compile(toJsonSchema(schema, document))
    expect([at, validate(example), validate.errors]).toEqual([at, true, null])
    const text = JSON.stringify(example).replaceAll('\\"', "'")
    for (const unreal of ['""', ':"text"', '1600'])
      expect([at, text]).toEqual([at, expect.not.stringContaining(unreal)])
  }
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
    if (schema.example !== undefined) check(name, schema, schema.example)
  }
  for (const { at, schema } of schemasOf()) {
    if (schema.example !== undefined) check(at, schema, schema.example)
    const isLeaf = ['string', 'integer', 'number'].includes(schema.type)
    // Numbers in an array (positions, boxes) have their example in the array.
    const isOfArray = at.endsWith('[]') && schema.type !== 'string'
    if (isLeaf && !schema.enum && !isOfArray && at.includes('.')) {
      expect([at, schema.example]).toEqual([at, expect.anything()])
    }
  }
  for (const [at, item] of Object.entries<Json>(paths)) {
    for (const { parameters = [], requestBody, responses } of Object.values<Json>(item)) {
      for (const { name, in: place, required, schema, example = schema.example } of parameters) {
        const isFilter = place === 'query' && !required
        if (isFilter) expect([at, name, example]).toEqual([at, name, undefined])
        else check(`${at} ${name}`, schema, example)
      }
      for (const [status, answer] of Object.entries<Json>({ body: requestBody, ...responses })) {
        const json = answer?.content?.['application/json']
        if (json) check(`${at} ${status}`, json.schema, json.example ?? json.schema.example)
      }
    }
  }
})

test('types generated by openapi-typescript compile in strict mode, and a client works with them', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'openapi-types-'))
  writeFileSync(join(dir, 'api.ts'), astToString(await openapiTs(documentText)))
  writeFileSync(join(dir, 'client.ts'), CLIENT)
  const compiler = ['bun', 'run', join(import.meta.dir, '../../../../node_modules/typescript-native/bin/tsc')]
  const flags = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit']
  const compile = Bun.spawn(
    [
      ...compiler,
      ...flags,
      '--target',
      'es2022',
      '--module',
      'es2022',
      '--moduleResolution',
      'bundler',
      '--lib',
      'es2022,dom',
      'client.ts',
    ],
    {
      cwd: dir,
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const [code, out] = await Promise.all([compile.exited, new Response(compile.stdout).text()])
  rmSync(dir, { recursive: true })
  expect(code, out).toBe(0)
})

/** A client written with the generated types. Each line marked as an error must be one. */
const CLIENT = `
import type { components, operations, paths } from './api'

type Schemas = components['schemas']
type Hit = paths['/v1/search']['get']['responses']['200']['content']['application/json']['results'][number]

export const nameOf = (hit: Hit): string | null => {
  if (hit.kind === 'parcel') return hit.owner_name
  return hit.kind === 'entity' ? hit.name : hit.members.map(({ situs_address }) => situs_address ?? '').join()
}

export const valueOf = (parcel: Schemas['Parcel']): number =>
  (parcel.assessed_value ?? 0) + (parcel.geom_geojson?.coordinates.length ?? 0)
// @ts-expect-error: it may be null
export const wrongValue = (parcel: Schemas['Parcel']): number => parcel.assessed_value

export const order: operations['enqueueScrapes']['requestBody']['content']['application/json'] = [
  { source: 'sample-county', source_parcel_id: '12-0345-0670' },
]
// @ts-expect-error: a field is missing
export const wrongOrder: Schemas['ScrapeOrder'] = { source: 'sample-county' }

// The body is optional.
export const scrapeNow: Pick<operations['scrapeParcelNow'], 'requestBody'> = {}
export const statusOf = (job: Schemas['Job']): 'queued' | 'running' | 'done' | 'error' => job.status
export const messageOf = (error: Schemas['Error']): string => error.error
`

test('the API guide and the API reference need no other host, and their links work', async () => {
  for (const path of ['/docs', '/docs/reference']) {
    const page = await call(path, { key: null })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const links = new Set([...page.text.matchAll(/ (?:src|href)="([^"#]+)[^"]*"/g)].map((match) => match[1] ?? ''))
    expect(links.size).toBeGreaterThan(2)
    expect([...links].filter((link) => !link.startsWith('/'))).toEqual([])
    // Nobody can sign in to this service.
    for (const link of [...links].filter((link) => !link.startsWith('/auth/')))
      expect([link, (await call(link, { key: null })).status]).toEqual([link, 200])
  }
})

test('the API guide can be read without JavaScript: every example in every language, and the fields of responses', async () => {
  const { text, headers } = await call('/docs', { key: null })
  const escapeHtml = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#x27;')
  const target = { base: 'https://parcels.example', key: null }
  for (const { examples } of GUIDE) {
    for (const example of examples) {
      for (const language of LANGUAGES) expect(text).toContain(escapeHtml(toProgram(example, language, target)))
      if (example.operation !== null) expect(text).toContain(`#/${example.operation.tag}/${example.operation.id}"`)
    }
  }
  for (const field of [
    'registered_agent_name',
    'geom_geojson',
    'distance_m',
    'download_url',
    'watermark',
    'pmtiles_url',
  ])
    expect(text).toContain(`<dt><code>${field}</code></dt>`)
  // The content security policy allows no script in the page. The data of the page is not one.
  expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  const inline = [...text.matchAll(/<script(?![^>]* src=)([^>]*)>/g)].map(([, attributes]) => attributes?.trim())
  expect(inline).toEqual(['type="application/json" id="api-facts"'])
  expect(text).not.toContain(' style="')
})

test('the API guide names operations that exist', async () => {
  const operations = Object.values(
    document.paths as Record<string, Record<string, { operationId: string; tags: string[] }>>,
  )
    .flatMap((item) => Object.values(item))
    .map(({ operationId, tags }) => `${tags[0]}/${operationId}`)
  for (const { examples } of GUIDE)
    for (const { operation } of examples)
      if (operation !== null) expect(operations).toContain(`${operation.tag}/${operation.id}`)
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
