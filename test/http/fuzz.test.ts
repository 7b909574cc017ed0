import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createTestApp, insertCounty } from './test-app'

const { sql, call, useSearch } = await createTestApp()
await insertCounty(sql)
useSearch({ search: async () => ({ hits: [], degraded: false, corrected: null }) })

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '%',
    '%00',
    '%zz',
    '%ff',
    '..',
    '../../etc/passwd',
    '1e999',
    '-0',
    'NaN',
    '9'.repeat(400),
    '\u202e',
    "'; --",
    '{}',
    '[]',
    'null',
    '0x10',
    ' ',
  ),
  fc.double().map(String),
)
const encoded = hostile.map((text) => (/^%/.test(text) ? text : encodeURIComponent(text.toWellFormed())))
const paths = fc.oneof(
  fc.tuple(encoded, encoded).map(([source, id]) => `/v1/parcels/${source}/${id}`),
  fc.tuple(encoded, encoded).map(([source, id]) => `/findings/${source}/${id}`),
  fc
    .tuple(encoded, encoded, encoded)
    .map(([bbox, limit, after]) => `/v1/parcels?bbox=${bbox}&limit=${limit}&after=${after}`),
  fc
    .tuple(fc.array(fc.double().map(String), { minLength: 4, maxLength: 4 }), encoded)
    .map(([box, source]) => `/parcels?bbox=${box.join(',')}&source=${source}`),
  fc
    .tuple(encoded, encoded, encoded, encoded)
    .map(([q, lat, lon, state]) => `/v1/search?q=${q}&lat=${lat}&lon=${lon}&state=${state}`),
  fc
    .tuple(encoded, encoded, encoded)
    .map(([q, types, zoning]) => `/v1/search?q=ab${q}&types=${types}&zoning=${zoning}&group=owner`),
  fc.tuple(encoded, encoded).map(([limit, after]) => `/v1/sources?limit=${limit}&after=${after}`),
  encoded.map((path) => `/${path}`),
)

test('no query and no path, however hostile, ends in a 500, and every error has its one body', async () => {
  await fc.assert(
    fc.asyncProperty(paths, async (path) => {
      const { status, body, text } = await call(path)
      expect(status, `${path}: ${text}`).toBeLessThan(500)
      if (status >= 400) expect(body).toEqual({ error: expect.any(String) })
    }),
    { numRuns: 1_500, seed: 3 },
  )
}, 60_000)

test('no body, however hostile, ends in a 500', async () => {
  const bodies = fc.oneof(
    fc.json({ maxDepth: 6 }),
    hostile,
    fc
      .record({ active: fc.jsonValue(), vendor_config: fc.jsonValue() }, { requiredKeys: [] })
      .map((value) => JSON.stringify(value)),
    fc
      .record(
        {
          cadence: fc.jsonValue(),
          next_due_at: fc.oneof(
            fc.string(),
            fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
          ),
          agricultural_only: fc.jsonValue(),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
    fc.constant('['.repeat(100_000)),
    fc.constant('{"vendor_config":{"a":"\\u0000"}}'),
    fc.constant('{"vendor_config":{"a":"\\ud800"}}'),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/v1/sources/elm', '/v1/source-refresh-policies/elm'),
      bodies,
      async (path, body) => {
        const { status, text } = await call(path, { method: 'PATCH', body })
        expect(status, `${path} ${body.slice(0, 200)}: ${text}`).toBeLessThan(500)
      },
    ),
    { numRuns: 1_000, seed: 3 },
  )
}, 60_000)
