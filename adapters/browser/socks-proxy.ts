import { connect as connectTo, createServer, isIP, type Socket } from 'node:net'

/*
 * The part of SOCKS version 5 (RFC 1928) that browsers use: no authentication, CONNECT. Every connection of a browser
 * goes through it (redirects, scripts, WebSockets), and names are resolved only here: the address that
 * was checked is the address that is connected to.
 */

const VERSION = 5
const NO_AUTHENTICATION = 0
const CONNECT = 1
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const
const REPLY = { succeeded: 0, failed: 1, notAllowed: 2, commandNotSupported: 7, addressTypeNotSupported: 8 } as const

export interface SocksProxy {
  port: number
  stop: () => Promise<void>
}

export interface Destination {
  address: string
  port: number
}

/**
 * Starts a proxy on a free local port. `decide` returns where a connection goes; when it throws, the connection is refused.
 */
export const startSocksProxy = async (decide: (asked: Destination) => Promise<Destination>): Promise<SocksProxy> => {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    keep(sockets, client)
    serve(client, decide, (far) => keep(sockets, far)).catch(() => client.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    port: address.port,
    stop: async () => {
      const closed = new Promise<void>((done) => server.close(() => done()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const keep = (sockets: Set<Socket>, socket: Socket): void => {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  // Either side may disconnect at any time.
  socket.on('error', () => socket.destroy())
}

const serve = async (
  client: Socket,
  decide: (asked: Destination) => Promise<Destination>,
  opened: (far: Socket) => void,
): Promise<void> => {
  const reply = (code: number) => client.write(Uint8Array.of(VERSION, code, 0, ADDRESS.ipv4, 0, 0, 0, 0, 0, 0))
  const refuse = (code: number) => {
    reply(code)
    client.end()
  }
  const [version = 0, methods = 0] = await take(client, 2)
  if (version !== VERSION) return void client.destroy()
  await take(client, methods)
  client.write(Uint8Array.of(VERSION, NO_AUTHENTICATION))

  const [, command, , kind] = await take(client, 4)
  const host = await readHost(client, kind)
  const port = (await take(client, 2)).readUInt16BE()
  if (command !== CONNECT) return refuse(REPLY.commandNotSupported)
  if (host === null) return refuse(REPLY.addressTypeNotSupported)
  const destination = await decide({ address: host, port }).catch(() => null)
  if (destination === null) return refuse(REPLY.notAllowed)

  const far = connectTo({ host: destination.address, port: destination.port })
  opened(far)
  const fail = () => refuse(REPLY.failed)
  far.once('error', fail)
  far.once('connect', () => {
    far.off('error', fail)
    reply(REPLY.succeeded)
    client.pipe(far).pipe(client)
  })
  client.on('close', () => far.destroy())
  far.on('close', () => client.destroySoon())
}

const readHost = async (client: Socket, kind: number | undefined): Promise<string | null> => {
  if (kind === ADDRESS.ipv4) return (await take(client, 4)).join('.')
  if (kind === ADDRESS.ipv6) {
    const bytes = await take(client, 16)
    const groups = Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(group * 2).toString(16))
    return groups.join(':')
  }
  if (kind !== ADDRESS.name) return null
  const [length = 0] = await take(client, 1)
  return (await take(client, length)).toString('latin1')
}

/** The next `count` bytes, once all have arrived. */
const take = (socket: Socket, count: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const read = () => {
      const bytes: Buffer | null = count === 0 ? Buffer.alloc(0) : socket.read(count)
      if (bytes === null) return
      stop()
      resolve(bytes)
    }
    const fail = () => {
      stop()
      reject(new Error('the browser hung up'))
    }
    const stop = () => {
      socket.off('readable', read)
      socket.off('close', fail)
    }
    socket.on('readable', read)
    socket.on('close', fail)
    read()
  })

/** The address as written in a URL: IPv6 in brackets. */
export const hostInUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address)
