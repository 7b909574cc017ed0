import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Destination, startSocksProxy } from '../../../adapters/browser/socks-proxy'

const asked: Destination[] = []
const proxy = await startSocksProxy(async (destination) => {
  asked.push(destination)
  throw new Error('refused')
})
afterAll(() => proxy.stop())

const REFUSED = 2

/** Asks for a connection to port 443 of `host`, which is written as its type and bytes (RFC 1928, 5). Returns the code of the reply. */
const askFor = (...host: number[]): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const socket = connect(proxy.port, '127.0.0.1', () => {
      socket.write(Uint8Array.of(5, 1, 0, 5, 1, 0, ...host, 1, 187))
    })
    const reply: number[] = []
    socket.on('data', (bytes: Buffer) => reply.push(...bytes))
    socket.on('error', reject)
    socket.on('close', () => resolve(reply[3]))
  })

test('each kind of address is judged as it was asked for', async () => {
  const name = [...Buffer.from('elm.example')]
  expect(await askFor(1, 169, 254, 169, 254)).toBe(REFUSED)
  expect(await askFor(3, name.length, ...name)).toBe(REFUSED)
  expect(await askFor(4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)).toBe(REFUSED)
  expect(asked).toEqual(
    ['169.254.169.254', 'elm.example', '2001:db8:0:0:0:0:0:1'].map((address) => ({ address, port: 443 })),
  )
})
