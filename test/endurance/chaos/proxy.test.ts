import { afterEach, expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { waitFor } from '../../support/servers'
import { startProxy } from './proxy'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** A server that echoes each chunk, and a proxy in front of it. */
const startEcho = async () => {
  const accepted = new Set<Socket>()
  const server = createServer((socket) => {
    accepted.add(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => socket.write(chunk))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = await startProxy((server.address() as { port: number }).port)
  stops.push(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  }, proxy.stop)
  return proxy
}

const open = async (port: number) => {
  const socket = connect({ port, host: '127.0.0.1' })
  const seen = { text: '', ended: false }
  socket.on('data', (chunk) => {
    seen.text += chunk
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    seen.ended = true
  })
  stops.push(() => socket.destroy())
  await waitFor(() => !socket.connecting)
  return { seen, write: (text: string) => socket.write(text), end: (text: string) => socket.end(text) }
}

test('bytes pass in both directions', async () => {
  const proxy = await startEcho()
  const client = await open(proxy.port)
  client.write('hello')
  await waitFor(() => client.seen.text === 'hello')
})

test('a proxy that swallows traffic sends nothing and closes nothing', async () => {
  const proxy = await startEcho()
  const client = await open(proxy.port)
  client.write('a')
  await waitFor(() => client.seen.text === 'a')
  proxy.swallow()
  client.write('b')
  await Bun.sleep(100)
  expect(client.seen).toEqual({ text: 'a', ended: false })
  // The lost connection is reset once the proxy passes bytes again: part of what it carried is missing.
  proxy.pass()
  await waitFor(() => client.seen.ended)
})

test('the traffic of open connections is swallowed while new ones pass', async () => {
  const proxy = await startEcho()
  const old = await open(proxy.port)
  proxy.swallow('open')
  old.write('a')
  const fresh = await open(proxy.port)
  fresh.write('b')
  await waitFor(() => fresh.seen.text === 'b')
  expect(old.seen).toEqual({ text: '', ended: false })
})

test('a delaying proxy keeps the order of what it passes', async () => {
  const proxy = await startEcho()
  const client = await open(proxy.port)
  proxy.delay(60)
  const startedAt = performance.now()
  client.write('a')
  await Bun.sleep(20)
  proxy.pass()
  client.write('b')
  await waitFor(() => client.seen.text.length === 2)
  expect(client.seen.text).toBe('ab')
  expect(performance.now() - startedAt).toBeGreaterThan(59)
})

test('a delaying proxy passes on what arrived before a connection ended', async () => {
  const proxy = await startEcho()
  const client = await open(proxy.port)
  proxy.delay(60)
  client.end('a')
  await waitFor(() => client.seen.ended)
  expect(client.seen.text).toBe('a')
})

test('a proxy that swallows answers still passes requests on', async () => {
  const asked: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      asked.push(String(chunk))
      socket.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = await startProxy((server.address() as { port: number }).port)
  stops.push(() => server.close(), proxy.stop)
  const client = await open(proxy.port)
  proxy.swallow('all', 'answers')
  client.write('a')
  await waitFor(() => asked.length === 1)
  expect(client.seen).toEqual({ text: '', ended: false })
  proxy.pass()
  await waitFor(() => client.seen.ended)
})

test('connections through a limited proxy share its bytes, and a small message does not wait for a large one', async () => {
  const proxy = await startEcho()
  const [large, small] = [await open(proxy.port), await open(proxy.port)]
  proxy.limit(400_000)
  const startedAt = performance.now()
  large.write('x'.repeat(400_000))
  await waitFor(() => large.seen.text.length > 0)
  small.write('a')
  await waitFor(() => small.seen.text === 'a')
  expect(large.seen.text.length).toBeLessThan(400_000)
  await waitFor(() => large.seen.text.length === 400_000)
  expect(performance.now() - startedAt).toBeGreaterThan(900)
})

test('after a switch, new connections go to the other server', async () => {
  const proxy = await startEcho()
  const client = await open(proxy.port)
  const other = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('other')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  stops.push(() => other.close())
  proxy.switchTo((other.address() as { port: number }).port)
  const fresh = await open(proxy.port)
  await waitFor(() => fresh.seen.text === 'other')
  client.write('a')
  await waitFor(() => client.seen.text === 'a')
})

test('a reset ends open connections, and a refusing proxy new ones too', async () => {
  const proxy = await startEcho()
  const client = await open(proxy.port)
  proxy.reset()
  await waitFor(() => client.seen.ended)
  const again = await open(proxy.port)
  again.write('x')
  await waitFor(() => again.seen.text === 'x')
  proxy.refuse()
  await waitFor(() => again.seen.ended)
  const refused = await open(proxy.port)
  await waitFor(() => refused.seen.ended)
})
