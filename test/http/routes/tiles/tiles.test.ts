import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { PMTiles } from 'pmtiles'
import { seedSampleCounty } from '../../../../dev/sample-county/load'
import { readWatermark } from '../../../../drizzle/queries/changes/read-watermark'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../../../tiles-build/build'
import { waitFor } from '../../../support/servers'
import { createTestApp } from '../../test-app'

const { app, sql, url, call, tileStore } = await createTestApp({ baseUrl: 'https://parcels.example' })
const workDir = mkdtempSync(join(tmpdir(), 'tiles-build-'))
afterAll(() => rmSync(workDir, { recursive: true, force: true }))

test('404: before the first build there are no tiles, and the error says so', async () => {
  const { call } = await createTestApp()
  for (const path of ['/tiles/manifest.json', '/tiles/parcels.json', '/tiles/parcels/12/1/1.mvt']) {
    expect(await call(path, { key: null }), path).toMatchObject({
      status: 404,
      body: { error: 'no tile archive has been built yet for the layer parcels' },
    })
  }
})

await seedSampleCounty(sql, { parcels: 400, entities: 0 })
const { hash, sizeBytes } = await buildTiles(DEFAULT_TILE_OPTIONS, {
  databaseUrl: url,
  to: tileStore,
  workDir,
  threads: 1,
})
const archive = `/tiles/parcels/${hash}.pmtiles`
const bytes = await tileStore.read({ layer: 'parcels', hash }, 0, sizeBytes)

// Over a real port, because the server sets some headers, such as Content-Length.
app.listen({ port: 0, hostname: '127.0.0.1' })
afterAll(() => app.stop())
const base = `http://127.0.0.1:${app.server?.port}`
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(base + path, { method, headers, redirect: 'manual' })

test('200: the manifest names the archive, for pages of any origin', async () => {
  const answer = await call('/tiles/manifest.json', { key: null })
  expect(answer.body).toEqual({
    parcels: {
      url: `https://parcels.example${archive}`,
      pmtiles_url: `pmtiles://https://parcels.example${archive}`,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      size_bytes: sizeBytes,
      dataset_version: await readWatermark(sql),
    },
  })
  expect(Number(answer.headers.get('x-dataset-version'))).toBeGreaterThanOrEqual(answer.body.parcels.dataset_version)
  expect(answer.headers.get('cache-control')).toBe('public, max-age=60, s-maxage=300')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
})

describe('an archive', () => {
  test('200: the whole archive, cacheable forever, with every header that a reader needs', async () => {
    const answer = await get(archive)
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/vnd.pmtiles',
      'content-length': String(sizeBytes),
      'cache-control': 'public, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      etag: `"${hash}"`,
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'ETag, Content-Range, Content-Length, Accept-Ranges, X-Request-Id, X-Dataset-Version',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    })
    expect((await get(archive, { 'x-request-id': 'abc' })).headers.get('x-request-id')).toBe('abc')
  })

  test('206: a range at the start, in the middle, up to the end and counted from the end', async () => {
    const cases: [string, number, number][] = [
      ['bytes=0-126', 0, 127],
      ['bytes=127-16383', 127, 16_384],
      ['bytes=100-', 100, sizeBytes],
      ['bytes=-50', sizeBytes - 50, sizeBytes],
      [`bytes=10-${sizeBytes * 2}`, 10, sizeBytes],
    ]
    for (const [range, start, end] of cases) {
      const answer = await get(archive, { range })
      expect(answer.status, range).toBe(206)
      expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${sizeBytes}`)
      expect(answer.headers.get('content-length')).toBe(String(end - start))
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(start, end)), range).toBe(true)
    }
  })

  test('several ranges return the whole archive', async () => {
    const answer = await get(archive, { range: 'bytes=0-1,5-9' })
    expect([answer.status, (await answer.bytes()).length]).toEqual([200, sizeBytes])
  })

  test('416: a range outside the archive, with its size', async () => {
    const answer = await get(archive, { range: `bytes=${sizeBytes}-` })
    expect(answer.status).toBe(416)
    expect(answer.headers.get('content-range')).toBe(`bytes */${sizeBytes}`)
    expect(await answer.json()).toEqual({
      error: `the range is outside the archive, which has ${sizeBytes} bytes`,
    })
    expect(answer.headers.get('cache-control')).toBeNull()
  })

  test('HEAD returns the size and no body, whatever the range', async () => {
    for (const headers of [{}, { range: 'bytes=0-9' }] as Record<string, string>[]) {
      const answer = await get(archive, headers, 'HEAD')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-length')).toBe(String(sizeBytes))
      expect(answer.headers.get('etag')).toBe(`"${hash}"`)
      expect(await answer.text()).toBe('')
    }
  })

  test('304: when the caller has it; If-Range limits ranges to the same archive', async () => {
    const tag = `"${hash}"`
    expect((await get(archive, { 'if-none-match': tag, range: 'bytes=0-9' })).status).toBe(304)
    expect((await get(archive, { 'if-none-match': `"other", W/${tag}` })).status).toBe(304)
    expect((await get(archive, { 'if-none-match': '"other"', range: 'bytes=0-9' })).status).toBe(206)
    expect((await get(archive, { 'if-range': tag, range: 'bytes=0-9' })).status).toBe(206)
    expect((await get(archive, { 'if-range': '"other"', range: 'bytes=0-9' })).status).toBe(200)
    expect((await get(archive, { 'if-range': 'Fri, 02 Jan 2026 03:04:05 GMT', range: 'bytes=0-9' })).status).toBe(200)
  })

  test('OPTIONS: browsers may request ranges, and send the key that they send everywhere; other methods are refused', async () => {
    for (const path of [archive, '/tiles/manifest.json', '/tiles/parcels.json', '/tiles/parcels/12/1/1.mvt']) {
      const preflight = await get(path, { origin: 'https://a.example' }, 'OPTIONS')
      expect(preflight.status, path).toBe(204)
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
      expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
      const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
      expect(allowed).toEqual(expect.arrayContaining(['range', 'if-none-match', 'x-service-key', 'x-request-id']))
      const read = await get(path, { origin: 'https://a.example' })
      expect(read.headers.get('access-control-expose-headers'), path).toContain('X-Request-Id')
      const refused = await get(path, {}, 'PUT')
      expect(refused.status, path).toBe(405)
      expect(refused.headers.get('allow')).toContain('GET, HEAD')
    }
  })

  test('404: an archive that does not exist or was removed', async () => {
    const gone = { layer: 'parcels', hash: 'f'.repeat(16) }
    const answer = await get(`/tiles/parcels/${gone.hash}.pmtiles`)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toEqual({
      error: 'no such tile archive: /tiles/manifest.json names the current one',
    })
  })

  test('no path leads out of the store', async () => {
    const paths = [
      '/tiles/../package.json',
      '/tiles/%2e%2e/package.json',
      '/tiles/parcels/..%2f..%2fpackage.json',
      '/tiles/parcels/..%2f..%2f..%2fetc%2fpasswd',
      `/tiles/..%2fparcels/${hash}.pmtiles`,
      `/tiles/parcels%00/${hash}.pmtiles`,
      `/tiles/parcels/${hash}.pmtiles%00`,
      `/tiles/parcels/${hash}%2epmtiles`,
      `/tiles//${hash}.pmtiles`,
      `/tiles/parcels/${hash.toUpperCase()}X.pmtiles`,
      '/tiles/parcels/',
      '/tiles/parcels',
      '/tiles/',
      '/tiles/..%5c..%5cpackage.json',
    ]
    for (const path of paths) {
      const answer = await get(path)
      expect(answer.status, path).toBe(404)
      expect(await answer.json(), path).toEqual({ error: 'no such route' })
    }
  })
})

test('the PMTiles library reads the archive through the service', async () => {
  const pmtiles = new PMTiles(base + archive)
  const header = await pmtiles.getHeader()
  expect([header.minZoom, header.maxZoom]).toEqual([0, 15])
})

describe('single tiles', () => {
  const tileJson = async () => (await call('/tiles/parcels.json', { key: null })).body

  /** The tile in the middle of the archive. */
  const middle = async (z: number): Promise<[number, number]> => {
    const [west, south, east, north] = (await tileJson()).bounds
    const [lon, lat] = [(west + east) / 2, (south + north) / 2]
    const mercator = Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360))
    return [Math.floor(((lon + 180) / 360) * 2 ** z), Math.floor(((1 - mercator / Math.PI) / 2) * 2 ** z)]
  }

  test('200: TileJSON has the tile URL, bounds and fields', async () => {
    expect(await tileJson()).toMatchObject({
      tilejson: '3.0.0',
      scheme: 'xyz',
      tiles: [`https://parcels.example/tiles/parcels/{z}/{x}/{y}.mvt?v=${hash}`],
      minzoom: 0,
      maxzoom: 15,
      bounds: [expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)],
      vector_layers: [
        { id: 'parcels', minzoom: 10, maxzoom: 15, fields: { source_parcel_id: expect.any(String) } },
        { id: 'counties', minzoom: 0, maxzoom: 9 },
        { id: 'county_centers', minzoom: 0, maxzoom: 9 },
        { id: 'parcel_counts', minzoom: 0, maxzoom: 9 },
      ],
    })
  })

  test('200: a tile is sent gzipped as stored, and uncompressed to callers without gzip', async () => {
    const [x, y] = await middle(12)
    const path = `/tiles/parcels/12/${x}/${y}.mvt`
    const zipped = await fetch(base + path, {
      headers: { 'accept-encoding': 'gzip' },
      decompress: false,
    } as RequestInit)
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect(zipped.headers.get('vary')).toBe('Accept-Encoding')
    const plain = await get(path, { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    const body = new Uint8Array(await plain.arrayBuffer())
    expect(Buffer.from(Bun.gunzipSync(await zipped.arrayBuffer())).equals(body)).toBe(true)
    const layer = new VectorTile(new PbfReader(body)).layers.parcels
    expect(layer?.length).toBeGreaterThan(10)
    expect(layer?.feature(0).properties).toMatchObject({ source: 'sample-county' })
  })

  test('a tile URL with a build is cacheable forever; one without is not', async () => {
    const [x, y] = await middle(13)
    const path = `/tiles/parcels/13/${x}/${y}.mvt`
    expect((await get(`${path}?v=${hash}`)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    for (const query of ['', '?v=ffffffffffffffff', '?v=..%2f..']) {
      const answer = await get(path + query)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=60, s-maxage=300')
    }
    expect((await get(path, { 'if-none-match': `W/"${hash}"` })).status).toBe(304)
  })

  test('204: an empty tile; 404: a tile that cannot exist', async () => {
    expect((await get('/tiles/parcels/10/0/0.mvt')).status).toBe(204)
    for (const path of ['4/16/0', '16/0/0', '12/4096/0', '12/0/4096', '99/0/0']) {
      expect((await get(`/tiles/parcels/${path}.mvt`)).status, path).toBe(404)
    }
  })
})

test('503: an archive that was truncated or changed on disk is not served until it is whole again', async () => {
  const file = join(tileStore.location, 'parcels', `${hash}.pmtiles`)
  const whole = readFileSync(file)
  const changed = Buffer.from(whole)
  changed[sizeBytes - 1] = (whole[sizeBytes - 1] ?? 0) ^ 1
  for (const damaged of [whole.subarray(0, sizeBytes / 2), changed]) {
    writeFileSync(file, damaged)
    // An open archive is checked again after one second; its size is checked on each request.
    if (damaged.length === sizeBytes) await waitFor(async () => (await get(archive, {}, 'HEAD')).status === 503)
    const answers = [await get(archive), await get(archive, { range: 'bytes=0-126' }), await get('/tiles/parcels.json')]
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(answer.headers.get('etag')).toBeNull()
      expect(answer.headers.get('cache-control') ?? '').not.toContain('immutable')
      expect(await answer.json()).toEqual({
        error: `the tile archive parcels/${hash} is damaged and must be rebuilt, try later`,
      })
    }
    writeFileSync(file, whole)
    await waitFor(async () => (await get(archive)).status === 200)
    expect(Buffer.from(await (await get(archive)).arrayBuffer()).equals(whole)).toBe(true)
  }
})

test('an archive that is removed is a clean 404, whole and in ranges', async () => {
  await tileStore.remove({ layer: 'parcels', hash })
  for (const path of [archive, '/tiles/parcels.json']) {
    const answer = await get(path, { range: 'bytes=0-9' })
    expect(answer.status, path).toBe(404)
    expect(await answer.json(), path).toEqual({ error: expect.any(String) })
  }
})
