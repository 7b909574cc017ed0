import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { Gauge } from 'prom-client'
import { readConfig } from '../../../src/config'
import { findFreePort } from '../../../src/operations/embedded/child'
import { createMetrics } from '../../../src/operations/observe/metrics'
import { serveOperations } from '../../../src/operations/observe/operations-server'
import { waitFor } from '../../support/servers'

const log = pino({ level: 'silent' })

test('the operations port serves metrics, liveness and readiness, and nothing else', async () => {
  const metrics = createMetrics()
  new Gauge({ name: 'test_gauge', help: 'Of a role', registers: [metrics] }).set(7)
  let obstacle: string | null = 'the database does not answer'
  const findReadinessProblem = async () => obstacle
  const server = serveOperations(metrics, { port: await findFreePort(), host: '127.0.0.1', findReadinessProblem, log })
  const at = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method })
  const answer = await at('/metrics')
  expect(answer.headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
  const text = await answer.text()
  expect(text).toContain('\ntest_gauge 7\n')
  expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1_000_000)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m)
  expect((await at('/')).status).toBe(404)
  expect((await at('/metrics', 'POST')).status).toBe(404)
  expect((await at('/live')).status).toBe(200)
  const notReady = await at('/ready')
  expect({ status: notReady.status, text: await notReady.text() }).toEqual({ status: 503, text: `${obstacle}\n` })
  obstacle = null
  expect((await at('/ready')).status).toBe(200)
  await server.stop()
})

test('a gauge that cannot be collected because of a bug makes /metrics an error, and the log has its reason', async () => {
  const lines: string[] = []
  const metrics = createMetrics()
  new Gauge({
    name: 'test_gauge',
    help: 'Of a role',
    registers: [metrics],
    collect: () => Promise.reject(new Error('column "stat" does not exist')),
  })
  const server = serveOperations(metrics, {
    port: await findFreePort(),
    host: '127.0.0.1',
    findReadinessProblem: async () => null,
    log: pino({}, { write: (line) => lines.push(line) }),
  })
  expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).toBe(500)
  expect(lines.join()).toContain('column \\"stat\\" does not exist')
  await server.stop()
})

test('a blocked event loop is visible in its delay', async () => {
  const metrics = createMetrics()
  const longest = async () =>
    Number(/^nodejs_eventloop_lag_max_seconds ([\d.e-]+)$/m.exec(await metrics.metrics())?.[1])
  await Bun.sleep(50)
  const until = performance.now() + 250
  while (performance.now() < until);
  await waitFor(async () => (await longest()) > 0.2)
})

test('a metrics port that is in use is refused, naming the variable', async () => {
  const metrics = createMetrics()
  const address = { port: await findFreePort(), host: '127.0.0.1', findReadinessProblem: async () => null, log }
  const server = serveOperations(metrics, address)
  expect(() => serveOperations(metrics, address)).toThrow('set a different METRICS_PORT')
  await server.stop()
})

test.each(['203.0.113.1', 'localhost:3000', '999.1.1.1', 'no-such-host.invalid'])(
  'a metrics host that is not an address of this machine is refused, naming the variable: %s',
  async (host) => {
    const address = { port: await findFreePort(), host, findReadinessProblem: async () => null, log }
    const refusal = `METRICS_HOST must be an address of this machine, not ${host}`
    expect(() => serveOperations(createMetrics(), address)).toThrow(refusal)
  },
)

test('without METRICS_PORT no port is opened', () => {
  expect(readConfig({}).metricsPort).toBeNull()
  expect(readConfig({ METRICS_PORT: '9464' }).metricsPort).toBe(9464)
  expect(readConfig({ HOST: '0.0.0.0' }).metricsHost).toBe('127.0.0.1')
  expect(readConfig({ METRICS_HOST: '10.0.0.7' }).metricsHost).toBe('10.0.0.7')
  expect(() => readConfig({ METRICS_PORT: '0' })).toThrow('METRICS_PORT must be a whole number from 1 to 65535')
})
