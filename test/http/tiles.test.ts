import { expect, test } from 'bun:test'
import { createTestApp } from './test-app'

const { sql, call } = await createTestApp()

test('404: there is no tile archive before the first build; then the manifest points at it', async () => {
  expect(await call('/tiles/manifest.json', { key: null })).toMatchObject({
    status: 404,
    body: { error: 'no tile archive has been built yet' },
  })
  await sql`insert into tile_builds (layer, status, hash, size_bytes, published_at) values ('parcels', 'published', '0123456789abcdef', 5000000000, '2026-01-02T03:04:05.678Z')`
  const { body, headers } = await call('/tiles/manifest.json', { key: null })
  expect(body).toEqual({
    parcels: {
      url: 'http://localhost/tiles/parcels/0123456789abcdef.pmtiles',
      pmtiles_url: 'pmtiles://http://localhost/tiles/parcels/0123456789abcdef.pmtiles',
      updated_at: '2026-01-02T03:04:05.678Z',
      size_bytes: 5_000_000_000,
    },
  })
  expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=300')
})
