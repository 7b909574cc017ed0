import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv from 'ajv'
import fc from 'fast-check'
import { pino } from 'pino'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { describeOgcApi } from '../../../src/http/ogc/openapi-document'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'

/*
 * Each requirement of OGC API - Features, Part 1 (OGC 17-069r4), of Core, GeoJSON, HTML and OpenAPI 3.0, under its name in the standard,
 * and what this service promises in addition.
 */
const PARCELS = 120
const logged: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
const { call, sql, readKey, signIn } = await createTestApp({ log })
await seedSampleCounty(sql, { parcels: PARCELS, entities: 5 })

// biome-ignore lint/suspicious/noExplicitAny: tests check the shape of documents
type Json = any

const ITEMS = '/ogc/collections/sample-county/items'

const get = async (path: string, headers: Record<string, string> = {}) => {
  const { status, headers: received, text } = await call(path, { headers })
  const isJson = /json/.test(received.get('content-type') ?? '')
  return { status, headers: received, text, body: (isJson ? JSON.parse(text) : null) as Json }
}

/** Path and query of a link to this service. */
const pathOf = (href: string): string => {
  expect(href).toStartWith('http://localhost/')
  return href.slice('http://localhost'.length)
}

const linkOf = (body: Json, rel: string, type?: string): string => {
  const link = body.links.find((link: Json) => link.rel === rel && (type === undefined || link.type === type))
  expect(link, `${rel} ${type ?? ''}`).toBeDefined()
  return pathOf(link.href)
}

/** All features, by following `next`. */
const readAll = async (path: string): Promise<Json[]> => {
  const features: Json[] = []
  for (let next: string | null = path; next !== null; ) {
    const { status, body, text } = await get(next)
    expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)])
    features.push(...body.features)
    const link = body.links.find(({ rel }: Json) => rel === 'next')
    next = link === undefined ? null : pathOf(link.href)
  }
  return features
}

let all: Json[] = []
beforeAll(async () => {
  all = await readAll(ITEMS)
})

/** The box of a feature's boundary. */
const boxOf = ({ geometry }: Json): [number, number, number, number] => {
  const positions: number[][] = geometry.coordinates.flat(2)
  const [xs, ys] = [0, 1].map((axis) => positions.map((position) => position[axis] ?? 0)) as [number[], number[]]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

describe('/req/core', () => {
  test('/req/core/root-success: the landing page links to itself, the API, the conformance classes and the data', async () => {
    const { status, body } = await get('/ogc')
    expect(status).toBe(200)
    for (const rel of ['self', 'alternate', 'service-desc', 'service-doc', 'conformance', 'data']) {
      expect((await get(linkOf(body, rel))).status, rel).toBe(200)
    }
  })

  test('/req/core/api-definition-success: the document describes every resource', async () => {
    const { body } = await get('/ogc/api')
    expect(Object.keys(body.paths)).toEqual([
      '/',
      '/api',
      '/conformance',
      '/collections',
      '/collections/{collectionId}',
      '/collections/{collectionId}/queryables',
      '/collections/{collectionId}/schema',
      '/collections/{collectionId}/items',
      '/collections/{collectionId}/items/{featureId}',
    ])
  })

  test('/req/core/conformance-success: the classes are listed', async () => {
    const { body } = await get('/ogc/conformance')
    for (const name of ['core', 'geojson', 'html', 'oas30'])
      expect(body.conformsTo).toContain(`http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${name}`)
  })

  test('/req/core/http: HEAD is answered as GET, other methods are refused with Allow', async () => {
    const head = await call(`${ITEMS}?limit=1`, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const post = await call(ITEMS, { method: 'POST', body: {} })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test.each(['/ogc', '/ogc/api', '/ogc/conformance', '/ogc/collections', '/ogc/collections/parcels', ITEMS])(
    '/req/core/query-param-unknown: %s refuses an unknown parameter',
    async (path) => {
      expect(await get(`${path}?colour=red`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('unknown query parameter "colour"') },
      })
    },
  )

  test.each([
    ['limit=0', 'limit must be a whole number'],
    ['limit=-1', 'limit must be a whole number'],
    ['limit=ten', 'limit must be a whole number'],
    ['bbox=1,2,3', 'bbox must be four'],
    ['bbox=a,b,c,d', 'bbox must be four'],
    ['bbox=-120,44,-121,43', 'south must not be greater'],
    ['bbox=-181,43,-120,44', 'west and east must be'],
    ['datetime=yesterday', 'datetime must be'],
    ['datetime=', 'datetime must be'],
    ['datetime=2026-02-31', 'datetime must be'],
    ['datetime=2026-01-01/2025-01-01', 'ends before it begins'],
    ['datetime=2026-01-01/2026-01-02/2026-01-03', 'datetime must be'],
    ['crs=http://www.opengis.net/def/crs/EPSG/0/3857', 'crs must be'],
    ['bbox-crs=EPSG:4326', 'bbox-crs must be'],
    ['filter-lang=cql2-json', 'filter-lang must be one of'],
    ['filter=owner', 'which is not a property'],
    ['assessed_value=much', 'assessed_value must be a number'],
    ['after=1', 'after must be'],
    ['f=xml', 'f must be one of json, html'],
    ['limit=1&limit=2', 'limit is given more than once'],
  ])('/req/core/query-param-invalid: %s', async (query, problem) => {
    const { status, body } = await get(`${ITEMS}?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining(problem)])
  })

  test('/req/core/crs84: coordinates are longitude and latitude, and Content-Crs says so', async () => {
    const { headers, body } = await get(`${ITEMS}?limit=1`)
    expect(headers.get('content-crs')).toBe('<http://www.opengis.net/def/crs/OGC/1.3/CRS84>')
    const [lon, lat] = body.features[0].geometry.coordinates[0][0][0]
    expect([Math.round(lon / 10), Math.round(lat / 10)]).toEqual([-12, 4])
  })

  test('/req/core/fc-md-success: every collection has an id, an extent, and links to its items', async () => {
    const { body } = await get('/ogc/collections')
    expect(body.collections.map(({ id }: Json) => id)).toEqual(['parcels', 'sample-county'])
    linkOf(body, 'self')
    linkOf(body, 'alternate', 'text/html')
    for (const collection of body.collections) {
      expect(collection.extent.spatial.bbox[0]).toHaveLength(4)
      for (const type of ['application/geo+json', 'text/html'])
        expect((await get(linkOf(collection, 'items', type))).status).toBe(200)
      expect((await get(linkOf(collection, 'describedby'))).status).toBe(200)
    }
  })

  test('/req/core/sfc-md-success: a collection is the same alone as in the list', async () => {
    const { body } = await get('/ogc/collections')
    for (const { links, ...listed } of body.collections) {
      const { links: own, ...alone } = (await get(`/ogc/collections/${listed.id}`)).body
      expect(alone).toEqual(listed)
      expect(own).toEqual(expect.arrayContaining(links.filter(({ rel }: Json) => rel !== 'self')))
    }
    expect((await get('/ogc/collections/nowhere')).status).toBe(404)
  })

  test('/req/core/fc-limit-response-1: a page has at most `limit` features, and a limit above the maximum is no error', async () => {
    expect((await get(`${ITEMS}?limit=7`)).body.features).toHaveLength(7)
    for (const limit of ['100000', '2147483647', '9223372036854775807'])
      expect((await get(`${ITEMS}?limit=${limit}`)).body.features).toHaveLength(PARCELS)
    for (const limit of ['0', '-1', '1.5', 'x', '']) expect((await get(`${ITEMS}?limit=${limit}`)).status).toBe(400)
  })

  test('/req/core/fc-bbox-response: a box returns the features that it meets, and no other', async () => {
    const [west, south, east, north] = boxOf(all[30])
    const box = [west, south, (west + east) / 2, (south + north) / 2]
    const found = new Set((await readAll(`${ITEMS}?bbox=${box}&limit=3`)).map(({ id }) => id))
    expect(found.has(all[30].id)).toBe(true)
    for (const feature of all) {
      const [w, s, e, n] = boxOf(feature)
      const isApart = w > (box[2] ?? 0) || e < (box[0] ?? 0) || s > (box[3] ?? 0) || n < (box[1] ?? 0)
      if (isApart) expect(found.has(feature.id)).toBe(false)
      else if (w >= west && s >= south && e <= (box[2] ?? 0) && n <= (box[3] ?? 0))
        expect(found.has(feature.id)).toBe(true)
    }
    expect(found.size).toBeLessThan(PARCELS)
    // With heights, and across the antimeridian.
    expect(await readAll(`${ITEMS}?bbox=${box[0]},${box[1]},0,${box[2]},${box[3]},100`)).toHaveLength(found.size)
    expect(await readAll(`${ITEMS}?bbox=0,-90,-119,90`)).toHaveLength(PARCELS)
    expect(await readAll(`${ITEMS}?bbox=0,0,1,1`)).toEqual([])
  })

  test('/req/core/fc-time-response: datetime returns the record as it was then', async () => {
    const [{ id, properties }] = all
    const former = properties.owner_name
    const before = new Date().toISOString()
    await sql`update parcels set owner_name = 'NEW OWNER' where id = ${id}`
    const ownerAt = async (datetime: string) =>
      (await readAll(`${ITEMS}?datetime=${datetime}`)).find((feature) => feature.id === id)?.properties.owner_name
    for (const datetime of [before, `../${before}`, `2020-01-01/${before}`])
      expect(await ownerAt(datetime)).toBe(former)
    for (const datetime of [`${before}/..`, '2030-01-01', '../..', '/'])
      expect(await ownerAt(datetime)).toBe('NEW OWNER')
    expect(await readAll(`${ITEMS}?datetime=2020-01-01`)).toEqual([])
    const box = boxOf(all[0])
    expect(
      (await readAll(`${ITEMS}?datetime=${before}&bbox=${box}&owner_name=${encodeURIComponent(former)}`)).length,
    ).toBe(1)
    await sql`update parcels set owner_name = ${former} where id = ${id}`
  })

  test('/req/core/fc-links, fc-rel-type: a page links to itself, its other format, its collection and the next page', async () => {
    const { body } = await get(`${ITEMS}?limit=50`)
    for (const { rel, type, href } of body.links)
      expect([rel, type, href]).toEqual([rel, expect.any(String), expect.any(String)])
    expect((await get(linkOf(body, 'self'))).body.features).toEqual(body.features)
    expect((await get(linkOf(body, 'alternate'))).headers.get('content-type')).toStartWith('text/html')
    expect((await get(linkOf(body, 'collection'))).body.id).toBe('sample-county')
    expect(linkOf(body, 'next', 'application/geo+json')).toContain('limit=50')
  })

  test('paging by `next` returns every feature once', async () => {
    const paged = await readAll(`${ITEMS}?limit=7`)
    expect(paged.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    expect(new Set(paged.map(({ id }) => id)).size).toBe(PARCELS)
    expect(await readAll('/ogc/collections/parcels/items?limit=50')).toEqual(all)
  })

  test('/req/core/fc-timeStamp, fc-numberMatched, fc-numberReturned: numbers are exact, and left out where they cost a count', async () => {
    const { body } = await get(`${ITEMS}?limit=50`)
    expect(Math.abs(Date.parse(body.timeStamp) - Date.now())).toBeLessThan(60_000)
    expect([body.numberMatched, body.numberReturned]).toEqual([PARCELS, 50])
    const filtered = (await get(`${ITEMS}?limit=5&filter=assessed_value > 0`)).body
    expect([filtered.numberMatched, filtered.numberReturned]).toEqual([undefined, 5])
    const box = boxOf(all[0])
    const few = (await get(`${ITEMS}?bbox=${box}`)).body
    expect(few.numberMatched).toBe(few.features.length)
  })

  test('/req/core/f-success, f-links: a feature is the same alone as in a page', async () => {
    const [feature] = all
    const { status, headers, body } = await get(`${ITEMS}/${feature.id}`)
    const { links, ...alone } = body
    expect([status, alone]).toEqual([200, feature])
    expect(headers.get('content-type')).toBe('application/geo+json')
    for (const rel of ['self', 'alternate', 'collection']) linkOf({ links }, rel)
    for (const id of ['019b76da-8c00-7000-8000-000000000001', 'x'])
      expect((await get(`${ITEMS}/${id}`)).status).toBe(404)
  })
})

describe('/req/geojson and /req/html', () => {
  test('/req/geojson/content: features have the fields of the record; unknown values are null', async () => {
    const [feature] = all
    expect([feature.type, feature.geometry.type]).toEqual(['Feature', 'MultiPolygon'])
    const { body } = await call(`/v1/parcels/sample-county/${feature.properties.source_parcel_id}`)
    const { scrape_data, geom_geojson, ...record } = body
    expect(record).toMatchObject(feature.properties)
    expect(feature.geometry).toEqual(geom_geojson)
    expect(scrape_data).toEqual({})
  })

  test('features fit the schema of the collection', async () => {
    const { body: schema } = await get('/ogc/collections/sample-county/schema')
    const { $schema, $id, ...plain } = schema
    expect([$schema, $id]).toEqual([
      expect.stringContaining('json-schema.org'),
      'http://localhost/ogc/collections/sample-county/schema',
    ])
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(plain)
    for (const feature of all) expect([validate(feature), validate.errors]).toEqual([true, null])
  })

  test.each([
    '/ogc',
    '/ogc/api',
    '/ogc/conformance',
    '/ogc/collections',
    '/ogc/collections/parcels',
    '/ogc/collections/parcels/queryables',
    '/ogc/collections/parcels/schema',
    ITEMS,
  ])('/req/html/definition: %s is HTML for browsers, JSON for everybody else', async (path) => {
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    for (const [query, headers, isHtml] of [
      ['', browser, true],
      ['?f=json', browser, false],
      ['?f=html', {}, true],
      ['', {}, false],
      ['', { accept: '*/*' }, false],
      ['', { accept: 'application/json' }, false],
      ['', { accept: 'application/geo+json, application/json' }, false],
      [
        '',
        {
          accept:
            'application/vnd.oai.openapi+json;version=3.0, application/openapi+json;version=3.0, application/json',
        },
        false,
      ],
    ] as [string, Record<string, string>, boolean][]) {
      const { status, headers: received } = await get(path + query, headers)
      const type = received.get('content-type') ?? ''
      expect([status, query, headers, type.startsWith('text/html')]).toEqual([200, query, headers, isHtml])
      expect(received.get('vary')).toContain('Accept')
    }
  })

  test('pages escape values of records, and run no script', async () => {
    const [{ id, properties }] = all
    await sql`update parcels set owner_name = '<script>alert(1)</script>' where id = ${id}`
    for (const path of [`${ITEMS}?f=html`, `${ITEMS}/${id}?f=html`]) {
      const { text, headers } = await get(path)
      expect(text).toContain('&lt;script&gt;alert(1)')
      expect(text).not.toContain('<script')
      expect(headers.get('content-security-policy')).toStartWith("default-src 'none'; style-src 'sha256-")
    }
    await sql`update parcels set owner_name = ${properties.owner_name} where id = ${id}`
  })

  test('the next page has the format of this one, whatever the caller accepts', async () => {
    const headers = { accept: 'text/html' }
    const { text } = await call(`${ITEMS}?f=json&limit=50`, { headers })
    const next = await call(linkOf(JSON.parse(text), 'next'), { headers })
    expect(next.headers.get('content-type')).toBe('application/geo+json')
  })

  test('HTML pages of a collection lead to the next one', async () => {
    const { text } = await get(`${ITEMS}?f=html`)
    const next = /href="([^"]+)">Next page/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { text: last } = await get(pathOf(next))
    expect([text.match(/<tr><td>/g)?.length, last.match(/<tr><td>/g)?.length]).toEqual([100, 20])
  })

  test('the page of a parcel names the type of its geometry', async () => {
    await insertCounty(sql)
    await upsertParcels(sql, 'elm', [{ sourceParcelId: '1', lon: -123, lat: 44 }])
    for (const [source, geometry] of [
      ['elm', '<td>Point</td>'],
      ['sample-county', '<td>MultiPolygon with '],
    ] as const) {
      const { body } = await get(`/ogc/collections/${source}/items?limit=1`)
      const { text } = await get(`/ogc/collections/${source}/items/${body.features[0].id}?f=html`)
      expect(text).toContain(geometry)
    }
  })
})

describe('/req/oas30', () => {
  test('/req/oas30/oas-definition-1: the document is OpenAPI 3.0 under its own media type', async () => {
    const { headers, body } = await get('/ogc/api', { accept: 'application/vnd.oai.openapi+json;version=3.0' })
    expect(headers.get('content-type')).toBe('application/vnd.oai.openapi+json;version=3.0')
    expect([body.openapi, body.servers]).toEqual(['3.0.3', [{ url: 'http://localhost/ogc' }]])
  })

  test('/req/oas30/oas-definition-2: a strict linter accepts the document', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'ogc-api-'))
    const file = join(dir, 'openapi.json')
    // The linter warns about servers on localhost.
    writeFileSync(file, (await get('/ogc/api')).text.replaceAll('http://localhost/', 'https://parcels.example/'))
    const lint = Bun.spawn(['bunx', '--bun', 'redocly', 'lint', file], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [code, out, err] = await Promise.all([
      lint.exited,
      new Response(lint.stdout).text(),
      new Response(lint.stderr).text(),
    ])
    rmSync(dir, { recursive: true })
    expect([code, `${out}${err}`]).toEqual([0, expect.not.stringContaining('warning')])
  })

  test('/req/oas30/completeness: the document has every parameter that a page accepts', async () => {
    const { body } = await get('/ogc/api')
    const names = body.paths['/collections/{collectionId}/items'].get.parameters.map(({ $ref }: Json) =>
      $ref.split('/').at(-1),
    )
    const { error } = (await get(`${ITEMS}?colour=red`)).body
    const known = error.slice(error.indexOf('known are ') + 'known are '.length).split(', ')
    expect(new Set(names)).toEqual(new Set(['collectionId', ...known.filter((name: string) => name !== 'key')]))
    expect(body.components.parameters.limit.schema).toMatchObject({ maximum: 5_000, default: 1_000 })
  })
})

describe('filters (Part 3)', () => {
  test('queryables are properties of the features, with a type', async () => {
    const { body, headers } = await get('/ogc/collections/sample-county/queryables')
    expect(headers.get('content-type')).toBe('application/schema+json')
    for (const [name, { type }] of Object.entries<Json>(body.properties)) {
      expect(
        all.some(({ properties }) => name in properties && [type, 'object'].includes(typeof properties[name])),
      ).toBe(true)
    }
  })

  const contains = (text: string | null, part: string) => text?.toLowerCase().includes(part) ?? false
  test.each<[string, (properties: Json) => boolean]>([
    ['assessed_value > 200000', ({ assessed_value }) => assessed_value > 200_000],
    ['"acreage" BETWEEN 1 AND 20', ({ acreage }) => acreage >= 1 && acreage <= 20],
    ["CASEI(owner_name) LIKE CASEI('%LLC%')", ({ owner_name }) => contains(owner_name, 'llc')],
    [
      "NOT (CASEI(owner_name) LIKE CASEI('%LLC%'))",
      ({ owner_name }) => owner_name !== null && !contains(owner_name, 'llc'),
    ],
    [
      "land_use_class IN ('Farm', 'Vacant land')",
      ({ land_use_class }) => ['Farm', 'Vacant land'].includes(land_use_class),
    ],
    ['zoning_code IS NULL', ({ zoning_code }) => zoning_code === null],
    ['true', () => true],
    ['false', () => false],
    ['NOT (false OR acreage >= 1)', ({ acreage }) => acreage !== null && acreage < 1],
    ['is_agricultural = TRUE', ({ is_agricultural }) => is_agricultural === true],
    [
      "situs_city = 'LARKSPUR' AND (acreage < 1 OR assessed_value >= 250000)",
      ({ situs_city, acreage, assessed_value }) =>
        situs_city === 'LARKSPUR' && ((acreage !== null && acreage < 1) || assessed_value >= 250_000),
    ],
    ["updated_at > DATE('2000-01-01')", () => true],
    ["updated_at < TIMESTAMP('2000-01-01T00:00:00Z')", () => false],
    ["owner_name LIKE 'a\\\\%'", () => false],
  ])('%s', async (filter, holds) => {
    const found = await readAll(`${ITEMS}?limit=9&filter=${encodeURIComponent(filter)}`)
    expect(found.map(({ id }) => id)).toEqual(all.filter(({ properties }) => holds(properties)).map(({ id }) => id))
  })

  test('each queryable is a query parameter', async () => {
    const { source_parcel_id, owner_name, acreage } = all[5].properties
    const query = new URLSearchParams({ source_parcel_id, owner_name, acreage })
    expect((await readAll(`${ITEMS}?${query}`)).map(({ id }) => id)).toEqual([all[5].id])
    for (const value of ["x' or 'a' = 'a", "x\\' or true --", 'x\\'])
      expect(await readAll(`${ITEMS}?owner_name=${encodeURIComponent(value)}`)).toEqual([])
  })

  test('a filter over all parcels needs a box', async () => {
    const path = '/ogc/collections/parcels/items?limit=1'
    for (const query of ['filter=acreage > 0', 'situs_city=LARKSPUR']) {
      expect(await get(`${path}&${query}`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('needs bbox') },
      })
      expect((await get(`${path}&${query}&bbox=-121,43,-120,44`)).body.features).toHaveLength(1)
    }
  })

  test('a value is never SQL', async () => {
    const hostile = encodeURIComponent(`owner_name = '''; drop table parcels; --' OR source_parcel_id = '$1'`)
    expect(await readAll(`${ITEMS}?filter=${hostile}`)).toEqual([])
  })
})

describe('keys', () => {
  test('without a key or session every resource is refused; with a session it is not', async () => {
    const person = await signIn()
    for (const path of ['/ogc', '/ogc/api', '/ogc/conformance', '/ogc/collections', ITEMS, `${ITEMS}/x`]) {
      expect((await call(path, { key: null })).status).toBe(401)
      expect((await call(`${path}?key=wrong`, { key: null })).status).toBe(401)
      expect((await call(path, { key: null, headers: person.headers })).status).not.toBe(401)
    }
  })

  test('a key in the query is in the links; a key in the header is not', async () => {
    const key = await readKey()
    const given = await call(`${ITEMS}?limit=1&key=${key}`, { key: null })
    const { links } = JSON.parse(given.text)
    for (const { href } of links) expect(new URL(href).searchParams.get('key')).toBe(key)
    const next = links.find(({ rel }: Json) => rel === 'next').href
    expect((await call(pathOf(next), { key: null })).status).toBe(200)
    expect((await call(`${ITEMS}?limit=1`)).text).not.toContain(ADMIN_KEY)
    // GDAL adds the key to URLs that have it in another spelling.
    expect((await call(`${ITEMS}?limit=1&key=${key}&key=${key}`, { key: null })).status).toBe(200)
  })

  test('a response to an address with a key is not cached, and its page sends no Referer', async () => {
    for (const format of ['json', 'html']) {
      const { headers } = await call(`${ITEMS}?f=${format}&key=${await readKey()}`, { key: null })
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
      expect((await get(`${ITEMS}?f=${format}`)).headers.get('cache-control')).toBe('private, no-cache')
    }
  })

  test('a key in the query does not appear in the log', async () => {
    const key = await readKey()
    for (const path of ['/ogc', ITEMS, `${ITEMS}?filter=x`, '/ogc/nowhere', '/ogc/collections/nowhere', '/v1/sources'])
      await call(`${path}${path.includes('?') ? '&' : '?'}key=${key}`, { key: null })
    expect(logged.length).toBeGreaterThan(6)
    expect(logged.filter((line) => line.includes(key))).toEqual([])
  })

  test('a key in the query is not accepted by other routes', async () => {
    expect((await call(`/v1/parcels/sample-county/x?key=${await readKey()}`, { key: null })).status).toBe(401)
  })
})

test('the requests that QGIS sends are answered', async () => {
  const key = await readKey()
  const json = 'application/json'
  const openApi = 'application/vnd.oai.openapi+json;version=3.0, application/openapi+json;version=3.0, application/json'
  const features = 'application/geo+json, application/json'
  const box = 'bbox=-120.55009080000000267,43.86390700000000322,-120.49990000000000236,43.93609299999999962'
  const crs = encodeURIComponent('http://www.opengis.net/def/crs/OGC/1.3/CRS84')
  const filter = encodeURIComponent(`(("assessed_value" > 100000) AND (CASEI("owner_name") LIKE CASEI('%A%')))`)
  // The first five as QGIS 3.22 sends them, the last one as later versions do.
  for (const [path, accept, type] of [
    [`/ogc?key=${key}`, json, 'application/json'],
    [`/ogc/api?key=${key}`, openApi, 'application/vnd.oai.openapi+json;version=3.0'],
    [`/ogc/collections/sample-county?key=${key}`, json, 'application/json'],
    [`${ITEMS}?limit=10&key=${key}`, features, 'application/geo+json'],
    [`${ITEMS}?limit=1000&${box}&key=${key}`, features, 'application/geo+json'],
    [
      `${ITEMS}?limit=1000&${box}&bbox-crs=${crs}&crs=${crs}&filter=${filter}&filter-lang=cql2-text&key=${key}`,
      features,
      'application/geo+json',
    ],
  ] as const) {
    const { status, headers, text } = await call(path, { key: null, headers: { accept } })
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, type])
    if (type === 'application/geo+json') expect(JSON.parse(text).numberReturned).toBeGreaterThan(5)
  }
})

test('a collection whose name contains NUL does not exist', async () => {
  for (const path of ['', '/items', '/items/x', '/queryables', '/schema']) {
    const { status, text } = await call(`/ogc/collections/%00${path}`)
    expect([path, status, JSON.parse(text)]).toEqual([path, 404, { error: 'no such collection' }])
  }
})

test('no value of a parameter causes a 5xx', async () => {
  const names = [
    'bbox',
    'datetime',
    'limit',
    'after',
    'crs',
    'filter',
    'filter-lang',
    'f',
    'owner_name',
    'acreage',
    'updated_at',
  ]
  const values = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(
      '0',
      '1e400',
      '-1',
      '9'.repeat(400),
      '1600-01-01',
      '2999-12-31T23:59:59Z',
      '0,0,0,0',
      '180,-90,-180,90',
      'json',
    ),
    fc.constantFrom(
      "owner_name LIKE '%_\\\\'",
      'acreage = 1e308',
      "updated_at < '1000-01-01'",
      "owner_name = ''",
      'NOT acreage IS NULL',
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 4 }), async (query) => {
      const { status, text } = await call(`${ITEMS}?${new URLSearchParams(query)}`)
      expect([status < 500, text.slice(0, 200)]).toEqual([true, expect.any(String)])
    }),
    { numRuns: 500 },
  )
})

test('the title of a collection has "County" once, and not after a parish or a city', async () => {
  for (const [source, name] of [
    ['named', 'Birch'],
    ['named-county', 'Birch County'],
    ['named-parish', 'Birch Parish'],
    ['named-city', 'Birch City'],
  ] as const) {
    await insertCounty(sql, source)
    await sql`update sources set county_name = ${name} where source = ${source}`
    await upsertParcels(sql, source, [{ sourceParcelId: '1', lon: -123, lat: 44 }])
  }
  const { body } = await get('/ogc/collections')
  const titles = body.collections.map(({ title }: Json) => title)
  expect(titles.filter((title: string) => title.startsWith('Birch'))).toEqual([
    'Birch County, OR (named)',
    'Birch City, OR (named-city)',
    'Birch County, OR (named-county)',
    'Birch Parish, OR (named-parish)',
  ])
})

test('the OpenAPI document names the session cookie that this service sets', () => {
  const cookieOf = (baseUrl: string) => describeOgcApi(baseUrl).components.securitySchemes.Session.name
  expect(cookieOf('http://127.0.0.1:3000')).toBe('pds_session')
  expect(cookieOf('https://parcels.example')).toBe('__Host-pds_session')
})
