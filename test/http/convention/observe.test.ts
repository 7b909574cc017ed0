import { expect, test } from 'bun:test'
import type { MetricValueWithName } from 'prom-client'
import { createTestApp, insertCounty } from '../test-app'

const { call, sql, registry } = await createTestApp()
await insertCounty(sql)

/** Requests counted so far, by label. */
const counted = async () => {
  const metric = await registry.getSingleMetric('http_request_duration_seconds')?.get()
  return Object.fromEntries(
    ((metric?.values ?? []) as MetricValueWithName<string>[])
      .filter(({ metricName }) => metricName?.endsWith('_count'))
      .map(({ labels, value }) => [`${labels.method} ${labels.route} ${labels.status}`, value]),
  )
}

test('every request is counted once by method, route and status; unknown paths share one label', async () => {
  await call('/v1/sources')
  await call('/v1/sources', { key: 'nobody' })
  await call('/v1/parcels/elm/1')
  await call('/v1/parcels/elm/2')
  await call('/v1/parcels?bbox=x')
  await call('/nope')
  await call('/nope/again')
  expect(await counted()).toMatchObject({
    'GET /v1/sources 200': 1,
    'GET /v1/sources 401': 1,
    'GET /v1/parcels/:source/:id 404': 2,
    'GET /v1/parcels 400': 1,
    'GET none 404': 2,
  })
})
