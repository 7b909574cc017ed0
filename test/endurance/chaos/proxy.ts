import { createServer, type Server, type Socket, connect as tcpConnect } from 'node:net'

/** What clients send, or what the server sends. */
export type Direction = 'requests' | 'answers'

/** A TCP proxy on loopback that can break the connections through it in the ways that networks and servers do. */
export interface TcpProxy {
  readonly port: number
  /** `url` with this proxy's host and port instead of the server's. */
  through: (url: string) => string
  /** Passes bytes on. This is the initial state, and it ends every other state. Connections that lost bytes are reset. */
  pass: () => void
  /**
   * Accepts bytes and drops them, and the ends of connections too: to TCP, they look alive. `open`: only connections that are open now.
   * `direction`: only what goes that way.
   */
  swallow: (which?: 'all' | 'open', direction?: Direction) => void
  /** Holds back every chunk for this long, in order, in both directions. */
  delay: (ms: number) => void
  /** All connections share this many bytes per second in each direction, in turns. */
  limit: (bytesPerS: number) => void
  /** Closes every open connection with a TCP reset. New ones pass. */
  reset: () => void
  /** Resets every open connection, and each new one as soon as it is made. */
  refuse: () => void
  /** New connections go to the server on this port of loopback. */
  switchTo: (port: number) => void
  /** Open connections. */
  count: () => number
  /** How many new connections were refused. */
  countRefused: () => number
  stop: () => Promise<void>
}

type Mode =
  | { kind: 'pass' }
  | { kind: 'swallow'; direction?: Direction | undefined }
  | { kind: 'delay'; ms: number }
  | { kind: 'limit'; bytesPerS: number }
  | { kind: 'refuse' }

interface Link {
  client: Socket
  server: Socket
  /** It has lost bytes of these directions, so it cannot be used again. */
  lost: Set<Direction>
}

/** A chunk that waits, or the end of the connection (null). */
interface Held {
  chunk: Buffer | null
  arrivedAt: number
}

/** With a limit, connections take turns after this many bytes. */
const TURN_BYTES = 8 * 1024
/** A connection with this many bytes waiting is not read. */
const MOST_HELD_BYTES = 64 * 1024

/** Starts a proxy in front of the server that listens on `port` of loopback. */
export const startProxy = async (port: number): Promise<TcpProxy> => {
  const links = new Set<Link>()
  let serverPort = port
  let mode: Mode = { kind: 'pass' }
  let refused = 0
  /** When the bytes that were admitted before have passed, with a limit. */
  const freeAt: Record<Direction, number> = { requests: 0, answers: 0 }

  const end = (link: Link): void => {
    links.delete(link)
    for (const socket of [link.client, link.server]) socket.resetAndDestroy()
  }

  /** When the oldest chunk that waits may pass. */
  const passesAt = ({ chunk, arrivedAt }: Held, direction: Direction): number => {
    if (mode.kind === 'delay') return arrivedAt + mode.ms
    if (mode.kind !== 'limit' || chunk === null) return 0
    freeAt[direction] = Math.max(performance.now(), freeAt[direction]) + (chunk.length / mode.bytesPerS) * 1_000
    return freeAt[direction]
  }

  const relay = (link: Link, direction: Direction, from: Socket, to: Socket): void => {
    const held: Held[] = []
    let heldBytes = 0
    let timer: Timer | null = null

    const release = (): void => {
      timer = null
      const next = held.shift()
      if (next === undefined) return
      if (next.chunk === null) to.end()
      else {
        heldBytes -= next.chunk.length
        if (!link.lost.has(direction) && !to.destroyed) to.write(next.chunk)
        if (to.writableNeedDrain) to.once('drain', () => from.resume())
        else if (heldBytes < MOST_HELD_BYTES) from.resume()
      }
      releaseNext()
    }
    const releaseNext = (): void => {
      for (let next = held[0]; next !== undefined && timer === null; next = held[0]) {
        const restMs = passesAt(next, direction) - performance.now()
        if (restMs > 0) timer = setTimeout(release, restMs)
        else release()
      }
    }
    const hold = (chunk: Buffer | null): void => {
      const arrivedAt = performance.now()
      if (chunk === null) held.push({ chunk, arrivedAt })
      else {
        for (let start = 0; start < chunk.length; start += TURN_BYTES)
          held.push({ chunk: chunk.subarray(start, start + TURN_BYTES), arrivedAt })
        heldBytes += chunk.length
        if (mode.kind === 'limit' && heldBytes >= MOST_HELD_BYTES) from.pause()
      }
      releaseNext()
    }
    const isSwallowing = () => mode.kind === 'swallow' && (mode.direction ?? direction) === direction
    /** Not even the end of the connection passes. */
    const isCut = () => link.lost.has(direction) || isSwallowing()
    const isHolding = () => mode.kind === 'delay' || mode.kind === 'limit' || held.length > 0

    from.on('data', (chunk: Buffer) => {
      if (isSwallowing()) link.lost.add(direction)
      if (link.lost.has(direction)) return
      if (isHolding()) hold(chunk)
      else if (!to.write(chunk)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
    })
    from.on('end', () => {
      if (isCut()) from.end()
      else if (isHolding()) hold(null)
      else to.end()
    })
    from.on('error', () => {
      if (!isCut()) end(link)
    })
    from.on('close', () => {
      if (link.client.destroyed && link.server.destroyed) links.delete(link)
      if (isCut()) return
      if (held.length === 0) to.destroy()
      else hold(null)
    })
  }

  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    if (mode.kind === 'refuse') {
      refused++
      client.resetAndDestroy()
      return
    }
    const upstream = tcpConnect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true })
    const link: Link = { client, server: upstream, lost: new Set() }
    links.add(link)
    for (const socket of [client, upstream]) socket.setNoDelay(true)
    relay(link, 'requests', client, upstream)
    relay(link, 'answers', upstream, client)
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
      for (const link of [...links]) if (link.lost.size > 0) end(link)
    },
    swallow(which = 'all', direction) {
      if (which === 'all') mode = { kind: 'swallow', direction }
      for (const link of links) {
        for (const one of ['requests', 'answers'] as const) if ((direction ?? one) === one) link.lost.add(one)
      }
    },
    delay(ms) {
      mode = { kind: 'delay', ms }
    },
    limit(bytesPerS) {
      mode = { kind: 'limit', bytesPerS }
    },
    reset() {
      for (const link of [...links]) end(link)
    },
    refuse() {
      mode = { kind: 'refuse' }
      for (const link of [...links]) end(link)
    },
    switchTo(port) {
      serverPort = port
    },
    count: () => links.size,
    countRefused: () => refused,
    async stop() {
      for (const link of [...links]) end(link)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
