import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { ADMIN_KEY, createTestApp } from '../test-app'

const { app, sql } = await createTestApp()
await seedSampleCounty(sql, { parcels: 300, entities: 0 })
app.listen({ port: 0, hostname: '127.0.0.1' })
afterAll(() => app.stop())
const port = app.server?.port ?? 0

/** What a connection receives in response to a GET request, in the parts in which it was received. */
const receive = (path: string, headers: Record<string, string>): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const parts: string[] = []
    const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers })
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    })
    socket.on('data', (bytes) => parts.push(bytes.toString('latin1')))
    socket.on('end', () => resolve(parts))
    socket.on('error', reject)
  })

const withKey = { 'x-service-key': ADMIN_KEY }
for (const [what, path, headers] of [
  ['a list', '/v1/parcels?source=sample-county&limit=300', withKey],
  [
    'a list, compressed',
    '/v1/parcels?source=sample-county&limit=300&fields=all',
    { ...withKey, 'accept-encoding': 'gzip' },
  ],
  ['an OGC collection', '/ogc/collections/sample-county/items?limit=100', withKey],
  ['the OpenAPI document', '/openapi.json', {}],
  ['the OpenAPI document, compressed', '/openapi.json', { 'accept-encoding': 'gzip' }],
] as const) {
  test(`${what}: the headers of a large response are sent in one piece with its body`, async () => {
    // A document that is the same for all is compressed for its first caller, and later sent without waiting.
    await receive(path, headers)
    const [first = '', ...rest] = await receive(path, headers)
    expect(first).toStartWith('HTTP/1.1 200 OK\r\n')
    const body = first.split('\r\n\r\n').slice(1).join('\r\n\r\n')
    expect(body.length, first).toBeGreaterThan(1_000)
    expect(first.length + rest.join('').length).toBeGreaterThan(20_000)
  })
}
