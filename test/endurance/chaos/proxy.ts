import { createServer, type Server, type Socket, connect as tcpConnect } from 'node:net'

/** A TCP proxy on loopback that can break the connections through it in the ways that networks and servers do. */
export interface TcpProxy {
  readonly port: number
  /** `url` with this proxy's host and port instead of the server's. */
  through: (url: string) => string
  /** Passes bytes on. This is the initial state, and it ends every other state. Connections that lost bytes are reset. */
  pass: () => void
  /** Accepts bytes in both directions and drops them: the connection looks alive to TCP. `open`: only connections that are open now. */
  swallow: (which?: 'all' | 'open') => void
  /** Holds back every chunk for this long, in order, in both directions. */
  delay: (ms: number) => void
  /** Closes every open connection with a TCP reset. New ones pass. */
  reset: () => void
  /** Resets every open connection, and each new one as soon as it is made. */
  refuse: () => void
  /** Open connections. */
  count: () => number
  /** How many new connections were refused. */
  countRefused: () => number
  stop: () => Promise<void>
}

type Mode = { kind: 'pass' } | { kind: 'swallow' } | { kind: 'delay'; ms: number } | { kind: 'refuse' }

interface Link {
  client: Socket
  server: Socket
  /** It has lost bytes, so it cannot be used again. */
  isLost: boolean
}

/** Starts a proxy in front of the server that listens on `port` of loopback. */
export const startProxy = async (port: number): Promise<TcpProxy> => {
  const links = new Set<Link>()
  let mode: Mode = { kind: 'pass' }
  let refused = 0

  const end = (link: Link): void => {
    links.delete(link)
    for (const socket of [link.client, link.server]) socket.resetAndDestroy()
  }

  const relay = (link: Link, from: Socket, to: Socket): void => {
    const held: { chunk: Buffer; until: number }[] = []
    const releaseHeld = (): void => {
      for (let next = held[0]; next !== undefined; next = held[0]) {
        const restMs = next.until - performance.now()
        if (restMs > 0) {
          setTimeout(releaseHeld, restMs)
          return
        }
        held.shift()
        if (!link.isLost && !to.destroyed) to.write(next.chunk)
      }
    }
    from.on('data', (chunk: Buffer) => {
      if (mode.kind === 'swallow') link.isLost = true
      if (link.isLost) return
      if (mode.kind === 'delay' || held.length > 0) {
        held.push({ chunk, until: performance.now() + (mode.kind === 'delay' ? mode.ms : 0) })
        if (held.length === 1) releaseHeld()
      } else if (!to.write(chunk)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
    })
    from.on('end', () => {
      if (!link.isLost && mode.kind !== 'swallow') to.end()
    })
    from.on('error', () => end(link))
    from.on('close', () => {
      links.delete(link)
      to.destroy()
    })
  }

  const server: Server = createServer((client) => {
    if (mode.kind === 'refuse') {
      refused++
      client.resetAndDestroy()
      return
    }
    const upstream = tcpConnect({ port, host: '127.0.0.1' })
    const link: Link = { client, server: upstream, isLost: false }
    links.add(link)
    for (const socket of [client, upstream]) socket.setNoDelay(true)
    relay(link, client, upstream)
    relay(link, upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')

  return {
    port: address.port,
    through(url) {
      const changed = new URL(url)
      changed.host = `127.0.0.1:${address.port}`
      return changed.href.replace(/\/$/, '')
    },
    pass() {
      mode = { kind: 'pass' }
      for (const link of [...links]) if (link.isLost) end(link)
    },
    swallow(which = 'all') {
      if (which === 'all') mode = { kind: 'swallow' }
      for (const link of links) link.isLost = true
    },
    delay(ms) {
      mode = { kind: 'delay', ms }
    },
    reset() {
      for (const link of [...links]) end(link)
    },
    refuse() {
      mode = { kind: 'refuse' }
      for (const link of [...links]) end(link)
    },
    count: () => links.size,
    countRefused: () => refused,
    async stop() {
      for (const link of [...links]) end(link)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
