import type { Logger } from 'pino'
import { createAdmission } from '../../../core/concurrency/admission'
import { createAlarm } from '../../../core/concurrency/alarm'
import { throttleReports } from '../../../core/observe/throttle-reports'
import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { type EventCursor, findPresent, readEvents, type StoredEvent } from '../../../drizzle/queries/service/events'
import type { EventKind } from '../../../drizzle/schema/values'

export interface Following {
  /** The follower: a key or an account. */
  watcher: string
  /** Whether to send all events, as for admins, or only those of jobs that this watcher requested. */
  seesAll: boolean
  kinds: readonly EventKind[]
  /** The event to start after; null: only new events. */
  after: EventCursor | null
}

export interface Follower {
  /** The events after `after` are no longer stored, so some may be missing. The follower must fetch the current state again. */
  isLost: boolean
  /** The last event that this follower has received. */
  cursor: () => EventCursor
  /**
   * Returns past events, a page at a time, and `live` once there are no more, or once it is closed. From then on, `onEvents` is called.
   * Call it again only after the last call has returned, and never after `live`.
   */
  catchUp: () => Promise<StoredEvent[] | 'live'>
  close: () => void
}

export interface EventFeed {
  /**
   * Follows events. `onEvents` receives them in order; `onStopped` is called when the feed stops.
   *
   * @throws ServiceError `too_many_streams`, or `server_unavailable` when this process has too many streams or is stopping
   */
  follow: (
    following: Following,
    listener: { onEvents: (events: readonly StoredEvent[]) => void; onStopped: () => void },
  ) => Promise<Follower>
  /** Ends all streams. */
  stop: () => Promise<void>
}

const MAX_STREAMS_OF_ONE = 10
/** Per process, because each may have an unsent buffer. */
const MAX_STREAMS = 1_000
const PAGE_SIZE = 1_000
const POLL_MS = 250

interface Live {
  following: Following
  /** The last event that the follower has received. */
  toldUpTo: EventCursor
  onEvents: (events: readonly StoredEvent[]) => void
}

/**
 * Sends events to many followers from one reader. While there are followers, the table is read four times a second for all of them, after the last
 * event read. Every follower gets each event exactly once, because it first reads up to the reader's position.
 * Writers do not use NOTIFY: transactions that do would commit one at a time, and a thousand jobs may end per second.
 */
export const createEventFeed = (sql: Sql, { log, pollMs = POLL_MS }: { log: Logger; pollMs?: number }): EventFeed => {
  const admission = createAdmission({ what: 'open streams', ofOne: MAX_STREAMS_OF_ONE, inAll: MAX_STREAMS })
  const live = new Set<Live>()
  const onStopped = new Set<() => void>()
  const alarm = createAlarm()
  let stopped = false
  /** The position of the reader; null: it is not running. */
  let position: EventCursor | null = null
  let reading: Promise<void> | null = null
  const warn = throttleReports((error, times) => log.warn({ err: error, times }, 'events could not be read; retrying'))

  const read = async (from: EventCursor): Promise<void> => {
    position = from
    while (live.size > 0) {
      try {
        const page = await readEvents(sql, { after: position, limit: PAGE_SIZE })
        position = page.end
        for (const follower of live) {
          const told = page.events.filter((event) => isFor(event, follower))
          if (told.length > 0) follower.onEvents(told)
        }
        if (page.isFull) continue
      } catch (error) {
        warn(error)
      }
      await alarm.wait(pollMs)
    }
    position = null
  }

  const admit = (watcher: string): (() => void) => {
    if (stopped) throw new ServiceError('server_unavailable', 'this process is stopping: try again')
    return admission.admit(watcher)
  }

  return {
    async follow(following, listener) {
      const release = admit(following.watcher)
      try {
        const { present, isLost } = await findPresent(sql, following.after)
        if (stopped) throw new ServiceError('server_unavailable', 'this process is stopping: try again')
        const self: Live = {
          following,
          toldUpTo: isLost ? present : (following.after ?? present),
          onEvents: listener.onEvents,
        }
        onStopped.add(listener.onStopped)
        let isOpen = true
        return {
          isLost,
          cursor: () => (live.has(self) && position !== null ? latest(position, self.toldUpTo) : self.toldUpTo),
          async catchUp() {
            // It may be closed while a page is read. Then it must not become live: nobody would close it again.
            while (isOpen) {
              // The reader may be behind `present`. Events up to `present` are not sent twice.
              const target = latest(position ?? present, present)
              if (latest(self.toldUpTo, target) === self.toldUpTo) {
                live.add(self)
                if (position === null) reading = read(self.toldUpTo)
                return 'live'
              }
              const { events, end } = await readEvents(sql, {
                after: self.toldUpTo,
                upTo: target,
                kinds: following.kinds,
                watcher: following.seesAll ? null : following.watcher,
                limit: PAGE_SIZE,
              })
              self.toldUpTo = end
              if (events.length > 0) return events
            }
            return 'live'
          },
          close() {
            isOpen = false
            release()
            live.delete(self)
            onStopped.delete(listener.onStopped)
          },
        }
      } catch (error) {
        release()
        throw error
      }
    },
    async stop() {
      stopped = true
      for (const tell of [...onStopped]) tell()
      live.clear()
      alarm.ring()
      await reading
    },
  }
}

const isFor = (
  { cursor, kind, watchers }: StoredEvent,
  { following: { watcher, seesAll, kinds }, toldUpTo }: Live,
): boolean =>
  kinds.includes(kind) && (seesAll || watchers?.includes(watcher) === true) && latest(cursor, toldUpTo) !== toldUpTo

/** The later of two positions in the order of events. */
const latest = (one: EventCursor, other: EventCursor): EventCursor => {
  const [a, b] = [placeOf(one), placeOf(other)]
  return a.xid > b.xid || (a.xid === b.xid && a.id > b.id) ? one : other
}

const placeOf = (cursor: EventCursor): { xid: bigint; id: bigint } => {
  const [xid = '', id = ''] = cursor.split('-')
  return { xid: BigInt(xid), id: BigInt(id) }
}
