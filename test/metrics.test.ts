import { expect, test } from 'bun:test'
import { Gauge } from 'prom-client'
import { readConfig } from '../src/config'
import { findFreePort } from '../src/embedded/child'
import { createMetrics, serveMetrics } from '../src/metrics'

test('metrics are Prometheus text at /metrics, of the process and of what its roles add; all else is 404', async () => {
  const metrics = createMetrics()
  new Gauge({ name: 'test_gauge', help: 'Of a role', registers: [metrics] }).set(7)
  const server = serveMetrics(metrics, { port: await findFreePort(), host: '127.0.0.1' })
  const at = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method })
  const answer = await at('/metrics')
  expect(answer.headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
  const text = await answer.text()
  expect(text).toContain('\ntest_gauge 7\n')
  expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1_000_000)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m)
  expect((await at('/')).status).toBe(404)
  expect((await at('/metrics', 'POST')).status).toBe(404)
  await server.stop()
})

test('a metrics port that is taken is refused, naming the variable', async () => {
  const metrics = createMetrics()
  const address = { port: await findFreePort(), host: '127.0.0.1' }
  const server = serveMetrics(metrics, address)
  expect(() => serveMetrics(metrics, address)).toThrow('set METRICS_PORT to another one')
  await server.stop()
})

test('without METRICS_PORT no port is opened', () => {
  expect(readConfig({}).metricsPort).toBeNull()
  expect(readConfig({ METRICS_PORT: '9464' }).metricsPort).toBe(9464)
  expect(() => readConfig({ METRICS_PORT: '0' })).toThrow('METRICS_PORT must be a whole number from 1 to 65535')
})
