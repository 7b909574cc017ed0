import type { EventCursor, StoredEvent } from '../../../drizzle/queries/service/events'
import type { EventFeed, Follower, Following } from '../../observe/event-feed'

/* Server-sent events (WHATWG HTML, 9.2). */

const RECONNECT_MS = 2_000
/** Below the idle timeouts of proxies and of this server. */
const HEARTBEAT_MS = 15_000
/** What may wait in this process for a client to take it; the sockets on the way hold some more. */
const BUFFER_BYTES = 256 * 1024

const encoder = new TextEncoder()

/** `data` is one line. */
const formatEvent = (event: string, data: string, id?: EventCursor): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`

/** A block without data tells a client nothing but the id that it sends when it comes again. */
const formatPosition = (cursor: EventCursor): string => `:\nid: ${cursor}\n\n`

export interface EventStreamOptions {
  /** Throws when who asked may not ask any more. Asked at every heartbeat. */
  authorizeAgain: () => Promise<void>
  /** Whether an error of `authorizeAgain` means that. */
  isRefusal: (error: unknown) => boolean
  heartbeatMs?: number
  bufferBytes?: number
}

/**
 * Events as a body of server-sent events, without end. A client that takes them too slowly is let go when its buffer is full, and so is
 * one whose key is revoked; the first comes again and misses nothing, because every heartbeat says how far it was told.
 *
 * @throws what `feed.follow` throws
 */
export const openEventStream = async (
  feed: EventFeed,
  following: Following,
  { authorizeAgain, isRefusal, heartbeatMs = HEARTBEAT_MS, bufferBytes = BUFFER_BYTES }: EventStreamOptions,
): Promise<ReadableStream<Uint8Array>> => {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let follower: Follower | null = null
  let isLive = false
  let heartbeat: ReturnType<typeof setInterval> | undefined

  const end = (): void => {
    clearInterval(heartbeat)
    follower?.close()
    // What is in the buffer is still sent.
    controller?.close()
    controller = null
  }
  const hasRoom = (): boolean => (controller?.desiredSize ?? 0) > 0
  const send = (text: string): void => controller?.enqueue(encoder.encode(text))
  const sendEvents = (events: readonly StoredEvent[]): void =>
    send(
      events
        .map(({ kind, data, dataForAdmins, cursor }) =>
          formatEvent(kind, following.seesAll ? dataForAdmins : data, cursor),
        )
        .join(''),
    )

  const onEvents = (events: readonly StoredEvent[]): void => (hasRoom() ? sendEvents(events) : end())

  const beat = async (): Promise<void> => {
    try {
      await authorizeAgain()
    } catch (error) {
      // A database that is away says nothing about the key.
      if (isRefusal(error)) return end()
    }
    if (follower === null || controller === null) return
    if (hasRoom()) send(formatPosition(follower.cursor()))
    // One that catches up takes what there is at its own pace.
    else if (isLive) end()
  }

  follower = await feed.follow(following, { onEvents, onStopped: end })
  const { isLost, cursor, catchUp } = follower
  return new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started
        // Headers leave with the first bytes.
        send(`retry: ${RECONNECT_MS}\n${formatPosition(cursor())}`)
        if (isLost)
          send(formatEvent('reset', '{"reason":"events before this one are forgotten: read anew what you follow"}'))
        heartbeat = setInterval(() => void beat(), heartbeatMs)
      },
      async pull() {
        if (isLive || controller === null) return
        try {
          const events = await catchUp()
          if (events === 'live') isLive = true
          else sendEvents(events)
        } catch {
          // It comes again, and goes on where it stood.
          end()
        }
      },
      cancel() {
        controller = null
        end()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes }),
  )
}
