import { api, ask, at } from '../../api/api'
import { serverNow } from '../../api/server-clock'
import { formatWords } from '../../format'
import { formatRecordField } from '../parcel/format-value'

const PAGE = 100

/** How often the page of a watch requests it, because no event says what a receiver answered. */
export const POLL_MS = 5_000

/** The watches of this person, and for admins those of everybody, unless `mine` is given. */
export const listWatches = (after: string | null, signal: AbortSignal, filter: { mine?: 'true' } = {}) =>
  ask(
    api.v1.watches.get({ query: { limit: PAGE, ...filter, ...(after === null ? {} : { after }) }, fetch: { signal } }),
  )
export type Watch = Awaited<ReturnType<typeof listWatches>>['watches'][number]

export const getWatch = (id: string, signal: AbortSignal) =>
  ask(api.v1.watches({ id: at(id) }).get({ fetch: { signal } }))

export type NewWatch = NonNullable<Parameters<typeof api.v1.watches.post>[0]>
export const addWatch = (wanted: NewWatch) => ask(api.v1.watches.post(wanted))

export interface WatchChange {
  active?: boolean
  webhook_url?: string | null
  new_secret?: true
}
export const changeWatch = (id: string, change: WatchChange) => ask(api.v1.watches({ id: at(id) }).patch(change))
export const deleteWatch = (id: string) => ask(api.v1.watches({ id: at(id) }).delete())
export const testWatch = (id: string) => ask(api.v1.watches({ id: at(id) }).test.post({}))

/** Sends the deliveries that wait for a retry. */
export const sendWatch = (id: string) => ask(api.v1.watches({ id: at(id) }).send.post({}))

export const listDeliveries = (id: string, after: string | null, signal: AbortSignal) =>
  ask(
    api.v1
      .watches({ id: at(id) })
      .deliveries.get({ query: { limit: PAGE, ...(after === null ? {} : { after }) }, fetch: { signal } }),
  )
export type Delivery = Awaited<ReturnType<typeof listDeliveries>>['deliveries'][number]

export const replayDelivery = (id: string, delivery: string) =>
  ask(
    api.v1
      .watches({ id: at(id) })
      .deliveries({ delivery: at(delivery) })
      .replay.post({}),
  )

/** What a watch follows, in a few words. */
export const describeTarget = ({ kind, source, source_parcel_id, owner_name }: Watch): string => {
  if (kind === 'parcel') return `${source_parcel_id} (${source})`
  if (kind === 'source') return source ?? ''
  if (kind === 'alerts') return 'Alerts of the service'
  return kind === 'owner' ? (owner_name ?? '') : 'An area'
}

/** Fields that a watch follows, or that changed. */
export const describeFields = (fields: readonly string[] | null): string =>
  fields === null ? 'all' : fields.map(formatRecordField).join(', ')

/** When a pending delivery is sent next: not before its own time, nor before that of its watch. Null: it is sent soon. */
export const nextTry = (
  { next_attempt_at: own }: Pick<Delivery, 'next_attempt_at'>,
  { held_until: held }: Pick<Watch, 'held_until'>,
  now = serverNow(),
): string | null => {
  const later = held !== null && (own === null || held > own) ? held : own
  return later !== null && Date.parse(later) > now ? later : null
}

/** Whether and how changes reach the receiver. */
export const describeState = ({ active, webhook_state: state, held_until }: Watch) => {
  if (!active) return { tone: 'plain', text: 'paused' } as const
  if (state === null) return { tone: 'plain', text: 'log only' } as const
  if (state === 'failed') return { tone: 'bad', text: 'failed' } as const
  if (state === 'failing') return { tone: 'warn', text: held_until === null ? 'failing' : 'failing, waits' } as const
  return { tone: state === 'working' ? 'good' : 'plain', text: formatWords(state) } as const
}
