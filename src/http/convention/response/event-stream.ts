import { EVENT_HEARTBEAT_MS } from '../../../../core/observe/event-heartbeat'
import type { EventCursor, StoredEvent } from '../../../../drizzle/queries/service/events'
import type { EventFeed, Follower, Following } from '../../../operations/observe/event-feed'

/* Server-sent events (WHATWG HTML, 9.2). */

const RECONNECT_MS = 2_000
/** Maximum bytes buffered in this process for one client. Sockets along the way buffer some more. */
const BUFFER_BYTES = 256 * 1024

const encoder = new TextEncoder()

/** `data` must be a single line. */
const formatEvent = (event: string, data: string, id?: EventCursor): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`

/** A block without data. It only sets the id that the client sends when it reconnects. */
const formatPosition = (cursor: EventCursor): string => `:\nid: ${cursor}\n\n`

export interface EventStreamOptions {
  /** Throws when the caller has lost access. Called at every heartbeat. */
  authorizeAgain: () => Promise<void>
  /** Whether an error from `authorizeAgain` means lost access. Other errors are ignored. */
  isRefusal: (error: unknown) => boolean
  heartbeatMs?: number
  bufferBytes?: number
}

/**
 * An endless response body of server-sent events. It closes when the client reads too slowly and its buffer is full, and when the
 * client's key is revoked. A slow client can reconnect without missing events, because every heartbeat carries its position.
 *
 * @throws what `feed.follow` throws
 */
export const openEventStream = async (
  feed: EventFeed,
  following: Following,
  { authorizeAgain, isRefusal, heartbeatMs = EVENT_HEARTBEAT_MS, bufferBytes = BUFFER_BYTES }: EventStreamOptions,
): Promise<ReadableStream<Uint8Array>> => {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let follower: Follower | null = null
  let isLive = false
  let heartbeat: ReturnType<typeof setInterval> | undefined

  const end = (): void => {
    clearInterval(heartbeat)
    follower?.close()
    // The buffered bytes are still sent.
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
      // If the database is unavailable, the key may still be valid.
      if (isRefusal(error)) return end()
    }
    if (follower === null || controller === null) return
    if (hasRoom()) send(formatPosition(follower.cursor()))
    // A client that is still catching up may read at its own pace.
    else if (isLive) end()
  }

  follower = await feed.follow(following, { onEvents, onStopped: end })
  const { isLost, cursor, catchUp } = follower
  return new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started
        // Bun sends the headers with the first bytes.
        send(`retry: ${RECONNECT_MS}\n${formatPosition(cursor())}`)
        if (isLost)
          send(formatEvent('reset', '{"reason":"earlier events are no longer kept: fetch the current state again"}'))
        heartbeat = setInterval(() => void beat(), heartbeatMs)
      },
      async pull() {
        if (isLive || controller === null) return
        try {
          const events = await catchUp()
          if (events === 'live') isLive = true
          else sendEvents(events)
        } catch {
          // The client reconnects and resumes from its last id.
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
