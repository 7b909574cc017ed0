import type { ListenMeta, Sql } from 'postgres'
import { createAlarm } from '../concurrency/alarm'
import { PROBE_EVERY_MS, probe } from './probe'

export interface Listener {
  /** Like the driver's `sql.listen`, but if the database is unavailable it waits and does not reject. */
  listen: Sql['listen']
  end: () => Promise<void>
}

/** Events of the listener's connection. */
export interface ListenerHooks {
  onnotify: (channel: string, payload: string) => void
  onclose: () => void
}

interface Subscription {
  channel: string
  onNotify: (payload: string) => void
  onListening: () => void
  /** Resolves when the connection first listens to the channel, or when the listener ends. */
  heard: PromiseWithResolvers<void>
}

const RETRY_MS = 200

/**
 * Listens on one connection for all subscriptions of a pool. A dead connection does not report itself, so the listener probes it.
 * Notifications sent while there is no connection are lost. `onListening` is called each time listening resumes, so that the
 * subscriber can read what it missed.
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
      // The probe was answered on another connection.
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
