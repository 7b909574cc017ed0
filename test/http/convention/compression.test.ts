import { expect, test } from 'bun:test'
import { ADMIN_KEY, createTestApp } from '../test-app'

const { app, sql } = await createTestApp()
await sql`insert into sources (source, state, county_name, vendor, base_url)
  select 'county-' || n, 'OR', 'County ' || n, 'arcgis-rest', 'https://county.example' from generate_series(1, 50) n`
await sql`insert into source_refresh_policies (source, next_due_at) select source, '2027-01-01T00:00:00Z' from sources`

const get = (path: string, headers: Record<string, string> = {}) =>
  app.handle(new Request(`http://localhost${path}`, { headers: { 'x-service-key': ADMIN_KEY, ...headers } }))

const plain = await (await get('/v1/sources')).text()

const DECODERS: Record<string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array> = {
  gzip: Bun.gunzipSync,
  zstd: Bun.zstdDecompressSync,
}

test('JSON over 1 KB is compressed for callers who accept it, and decompresses to the same body', async () => {
  for (const [asked, encoding] of [
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['zstd;q=0, gzip', 'gzip'],
    ['*', 'zstd'],
  ] as const) {
    const answer = await get('/v1/sources', { 'accept-encoding': asked })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(answer.headers.get('vary')).toBe('Accept-Encoding')
    expect(bytes.byteLength).toBeLessThan(plain.length / 3)
    expect(new TextDecoder().decode(DECODERS[encoding]?.(bytes))).toBe(plain)
  }
})

test('a response is not compressed when the caller does not accept it or the body is small', async () => {
  expect(plain).toStartWith('{"count":50')
  for (const asked of ['identity', 'br', 'gzip;q=0']) {
    const answer = await get('/v1/sources', { 'accept-encoding': asked })
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect(await answer.text()).toBe(plain)
  }
  const small = await get('/health', { 'accept-encoding': 'gzip' })
  expect(small.headers.get('content-encoding')).toBeNull()
  expect(await small.json()).toMatchObject({ status: 'ok' })
})

test('a large response is compressed', async () => {
  await sql`insert into sources (source, state, county_name, vendor, base_url)
    select 'more-' || n, 'OR', 'County ' || n, 'arcgis-rest', 'https://county.example' from generate_series(1, 400) n`
  await sql`insert into source_refresh_policies (source, next_due_at)
    select source, '2027-01-01T00:00:00Z' from sources where source like 'more-%'`
  const large = await (await get('/v1/sources')).text()
  expect(large.length).toBeGreaterThan(100_000)
  for (const encoding of ['gzip', 'zstd']) {
    const answer = await get('/v1/sources', { 'accept-encoding': encoding })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(new TextDecoder().decode(DECODERS[encoding]?.(bytes))).toBe(large)
  }
})
