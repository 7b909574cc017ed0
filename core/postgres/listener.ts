import type { ListenMeta, Sql } from 'postgres'
import { createAlarm } from '../alarm'
import { PROBE_EVERY_MS, probe } from './probe'

export interface Listener {
  /** As `sql.listen` of the driver, except that a database that is away is waited for: it does not reject. */
  listen: Sql['listen']
  end: () => Promise<void>
}

/** What the listener hears of its connection. */
export interface ListenerHooks {
  onnotify: (channel: string, payload: string) => void
  onclose: () => void
}

interface Subscription {
  channel: string
  onNotify: (payload: string) => void
  onListening: () => void
  /** Settled once it is heard for the first time, or the listener ends. */
  heard: PromiseWithResolvers<void>
}

const RETRY_MS = 200

/**
 * One connection that listens for everything that a pool's users want to hear. It says nothing of its own accord when it is dead, so it
 * is probed. What was notified while there was none is lost: `onListening` is called each time it listens again, so that what may have
 * been missed is read.
 */
export const createListener = (open: (hooks: ListenerHooks) => Sql): Listener => {
  const subscriptions = new Set<Subscription>()
  const alarm = createAlarm()
  let isEnded = false
  let running: Promise<void> | null = null

  /** Listens until the connection is lost. */
  const listenOnce = async (sql: Sql, isLost: () => boolean): Promise<void> => {
    const channels = new Set<string>()
    const told = new Set<Subscription>()
    while (!isEnded) {
      for (const subscription of subscriptions) {
        const { channel, onListening, heard } = subscription
        if (told.has(subscription)) continue
        if (!channels.has(channel)) await sql.unsafe(`listen ${quote(channel)}`)
        if (isLost()) return
        channels.add(channel)
        told.add(subscription)
        heard.resolve()
        onListening()
      }
      for (const channel of channels) {
        if ([...subscriptions].some((subscription) => subscription.channel === channel)) continue
        await sql.unsafe(`unlisten ${quote(channel)}`)
        channels.delete(channel)
      }
      await alarm.wait(PROBE_EVERY_MS)
      if (isLost() || isEnded) return
      await probe(sql)
      // The answer came through another connection.
      if (isLost()) return
    }
  }

  const run = async (): Promise<void> => {
    let lost = false
    const sql = open({
      onnotify: (channel, payload) => {
        for (const subscription of subscriptions) if (subscription.channel === channel) subscription.onNotify(payload)
      },
      onclose: () => {
        lost = true
        alarm.ring()
      },
    })
    while (!isEnded) {
      lost = false
      await listenOnce(sql, () => lost).catch(() => {})
      if (!isEnded) await Bun.sleep(RETRY_MS)
    }
    await sql.end({ timeout: 0 })
  }

  return {
    listen: (async (channel, onNotify, onListening = () => {}) => {
      const subscription: Subscription = { channel, onNotify, onListening, heard: Promise.withResolvers() }
      subscriptions.add(subscription)
      running ??= run()
      alarm.ring()
      await subscription.heard.promise
      return {
        state: {} as ListenMeta['state'],
        unlisten: async () => {
          subscriptions.delete(subscription)
          alarm.ring()
        },
      }
    }) as Sql['listen'],
    async end() {
      isEnded = true
      for (const { heard } of subscriptions) heard.resolve()
      alarm.ring()
      await running
    },
  }
}

const quote = (channel: string): string => `"${channel.replaceAll('"', '""')}"`
