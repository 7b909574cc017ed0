import type { Logger } from 'pino'
import { createAlarm } from '../../core/alarm'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { tellNowAndThen } from '../../core/tell-now-and-then'
import { type EventCursor, findPresent, readEvents, type StoredEvent } from '../../drizzle/queries/service/events'
import type { EventKind } from '../../drizzle/schema/events'

export interface Following {
  /** Who follows: a key or an account. */
  watcher: string
  /** Whether all events are told, as admins are; else those of the jobs that this watcher asked for. */
  seesAll: boolean
  kinds: readonly EventKind[]
  /** After which event to begin; null: with what happens from now on. */
  after: EventCursor | null
}

export interface Follower {
  /** Events that were asked for: `after` is forgotten, and what came since may be missed. State is to be read anew. */
  isLost: boolean
  /** Up to where this follower has been told everything. */
  cursor: () => EventCursor
  /**
   * What happened before now, a page at a time; `live` once there is no more of it: from then on `onEvents` is called. To be
   * called again only when the last call has ended, and never after `live`.
   */
  catchUp: () => Promise<StoredEvent[] | 'live'>
  close: () => void
}

export interface EventFeed {
  /**
   * Begins to follow events. `onEvents` is told of them in their order, `onStopped` when the feed stops.
   *
   * @throws ServiceError `too_many_streams`, `server_unavailable` when this process has no room, or stops
   */
  follow: (
    following: Following,
    listener: { onEvents: (events: readonly StoredEvent[]) => void; onStopped: () => void },
  ) => Promise<Follower>
  /** Lets all followers go. */
  stop: () => Promise<void>
}

const MOST_STREAMS_OF_ONE = 10
/** In one process: each may have a buffer that is not sent yet. */
const MOST_STREAMS = 1_000
const PAGE_SIZE = 1_000
const POLL_MS = 250

interface Live {
  following: Following
  /** Up to where it has been told already. */
  toldUpTo: EventCursor
  onEvents: (events: readonly StoredEvent[]) => void
}

/**
 * Events for many followers from one reader. While anybody follows, the table is read four times a second for all of them, after the last
 * event that was read; nobody is told of an event twice or not at all, because a follower first reads up to where that
 * reader stands. Writers do not notify: transactions that do commit one at a time, and jobs end a thousand times a second.
 */
export const createEventFeed = (sql: Sql, { log, pollMs = POLL_MS }: { log: Logger; pollMs?: number }): EventFeed => {
  const followers = new Map<string, number>()
  const live = new Set<Live>()
  const onStopped = new Set<() => void>()
  const alarm = createAlarm()
  let open = 0
  let stopped = false
  /** Up to where the reader has read; null: it does not run. */
  let position: EventCursor | null = null
  let reading: Promise<void> | null = null
  const warn = tellNowAndThen((error, times) =>
    log.warn({ err: error, times }, 'events could not be read; trying again'),
  )

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
    if (stopped) throw new ServiceError('server_unavailable', 'this process is stopping: ask again')
    const ofOne = followers.get(watcher) ?? 0
    if (ofOne >= MOST_STREAMS_OF_ONE) {
      throw new ServiceError(
        'too_many_streams',
        `there are ${MOST_STREAMS_OF_ONE} open streams of this key or account already: close one`,
      )
    }
    if (open >= MOST_STREAMS) throw new ServiceError('server_unavailable', 'too many streams are open: try again later')
    followers.set(watcher, ofOne + 1)
    open++
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      open--
      const left = (followers.get(watcher) ?? 1) - 1
      if (left > 0) followers.set(watcher, left)
      else followers.delete(watcher)
    }
  }

  return {
    async follow(following, listener) {
      const release = admit(following.watcher)
      try {
        const { present, isLost } = await findPresent(sql, following.after)
        if (stopped) throw new ServiceError('server_unavailable', 'this process is stopping: ask again')
        const self: Live = {
          following,
          toldUpTo: isLost ? present : (following.after ?? present),
          onEvents: listener.onEvents,
        }
        onStopped.add(listener.onStopped)
        return {
          isLost,
          cursor: () => (live.has(self) && position !== null ? latest(position, self.toldUpTo) : self.toldUpTo),
          async catchUp() {
            for (;;) {
              // The reader may stand behind `present`: what it reads up to there is not told again.
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
          },
          close() {
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

/** Of two places in the order of events the one that comes later. */
const latest = (one: EventCursor, other: EventCursor): EventCursor => {
  const [a, b] = [placeOf(one), placeOf(other)]
  return a.xid > b.xid || (a.xid === b.xid && a.id > b.id) ? one : other
}

const placeOf = (cursor: EventCursor): { xid: bigint; id: bigint } => {
  const [xid = '', id = ''] = cursor.split('-')
  return { xid: BigInt(xid), id: BigInt(id) }
}
