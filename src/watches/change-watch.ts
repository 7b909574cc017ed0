import { randomBytes } from 'node:crypto'
import { WATCH_BOUNDS } from '../../core/bounds'
import { isLoggedField, LOGGED_FIELDS } from '../../core/parcels/fields'
import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { formatCount } from '../../core/text/count-noun'
import { findSourceVendor } from '../../drizzle/queries/sources/sources'
import { hastenDeliveries, insertTestDelivery, replayDelivery } from '../../drizzle/queries/watches/deliveries'
import { callReceiver } from '../../drizzle/queries/watches/store-matches'
import {
  countWatches,
  insertWatch,
  lockWatch,
  type NewWatch,
  updateWatch,
  type WatchSettings,
} from '../../drizzle/queries/watches/watches'
import type { WatchKind } from '../../drizzle/schema/values'
import { readTarget, type WatchTarget } from './read-target'
import { readWebhookUrl } from './webhook-url'

/** In the format of Standard Webhooks: 24 to 64 random bytes. */
const makeSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

type Owner = Pick<NewWatch, 'owner' | 'accountId' | 'keyHash' | 'createdBy'>

/**
 * Adds a watch. `secret`: signs its webhook's requests; null without a webhook. It is not shown again.
 *
 * @throws ServiceError `bad_input`; `conflict` when the owner has too many watches
 */
export const addWatch = async (
  tx: Transaction,
  owner: Owner,
  {
    fields,
    webhook_url: url,
    ...target
  }: WatchTarget & { fields?: string[] | null | undefined; webhook_url?: string | null | undefined },
  options: { allowPrivate: boolean },
): Promise<{ id: string; secret: string | null }> => {
  const stored = readTarget(target)
  const webhook = typeof url === 'string' ? readWebhookUrl(url, options) : { webhookUrl: null, receiver: null }
  if (stored.source !== null && (await findSourceVendor(tx, stored.source)) === null) {
    throw new ServiceError('bad_input', `source: there is no source ${stored.source}`)
  }
  if ((await countWatches(tx, owner.owner)) >= WATCH_BOUNDS.most) {
    const most = formatCount(WATCH_BOUNDS.most)
    throw new ServiceError('conflict', `an account or key can have at most ${most} watches: delete one first`)
  }
  const secret = webhook.receiver === null ? null : makeSecret()
  const watched = fieldsOf(fields ?? null)
  refuseFields(target.kind, watched)
  const id = await insertWatch(tx, {
    ...owner,
    ...stored,
    ...webhook,
    webhookSecret: secret,
    fields: watched,
  })
  return { id, secret }
}

export interface WatchChange {
  active?: boolean | undefined
  fields?: string[] | null | undefined
  webhook_url?: string | null | undefined
  new_secret?: true | undefined
}

/**
 * Changes the given settings of a watch. Returns the new secret, if there is one, which is not shown again. Null: the owner has no such
 * watch.
 *
 * @throws ServiceError `bad_input`
 */
export const changeWatch = async (
  tx: Transaction,
  owner: string | null,
  id: string,
  change: WatchChange,
  options: { allowPrivate: boolean },
): Promise<{ secret: string | null } | null> => {
  const before = await lockWatch(tx, owner, id)
  if (before === null) return null
  const webhook = readWebhook(before, change, options)
  const secret = webhook.receiver !== null && (before.webhookSecret === null || change.new_secret) ? makeSecret() : null
  const settings = {
    ...webhook,
    active: change.active ?? before.active,
    fields: change.fields === undefined ? before.fields : fieldsOf(change.fields),
    webhookSecret: webhook.receiver === null ? null : (secret ?? before.webhookSecret),
  }
  refuseFields(before.kind, settings.fields)
  const isFresh = webhook.webhookUrl !== before.webhookUrl || (settings.active && !before.active)
  await updateWatch(tx, id, { ...settings, isFresh })
  if (settings.active && settings.receiver !== null) await callReceiver(tx, settings.receiver)
  return { secret }
}

const readWebhook = (
  { webhookUrl, receiver }: WatchSettings,
  { webhook_url: url, new_secret }: WatchChange,
  options: { allowPrivate: boolean },
): Pick<WatchSettings, 'webhookUrl' | 'receiver'> => {
  if (typeof url === 'string') return readWebhookUrl(url, options)
  const webhook = url === null ? { webhookUrl: null, receiver: null } : { webhookUrl, receiver }
  if (new_secret && webhook.receiver === null) throw new ServiceError('bad_input', 'new_secret needs a webhook_url')
  return webhook
}

/** @throws ServiceError `bad_input` */
const refuseFields = (kind: WatchKind, fields: string[] | null): void => {
  if (kind === 'alerts' && fields !== null) throw new ServiceError('bad_input', 'a watch of kind alerts has no fields')
}

/**
 * Removes duplicates. An empty list means no filter.
 *
 * @throws ServiceError `bad_input`
 */
const fieldsOf = (fields: string[] | null): string[] | null => {
  const unknown = fields?.find((name) => !isLoggedField(name))
  if (unknown !== undefined)
    throw new ServiceError('bad_input', `fields: there is no field ${unknown}, only ${LOGGED_FIELDS.join(', ')}`)
  return fields === null || fields.length === 0 ? null : [...new Set(fields)]
}

/**
 * Queues a test of a watch's webhook. Returns the id of the delivery; null when the owner has no such watch.
 *
 * @throws ServiceError `conflict`
 */
export const testWatch = async (tx: Transaction, owner: string | null, id: string): Promise<string | null> => {
  const watch = await lockWatch(tx, owner, id)
  if (watch === null) return null
  const receiver = receiverOf(watch)
  const delivery = await insertTestDelivery(tx, id)
  await callReceiver(tx, receiver)
  return delivery
}

/**
 * Requeues a delivery that has ended. Returns false when the owner has no such watch, or the watch has no such delivery.
 *
 * @throws ServiceError `conflict`, for example if the delivery is still queued
 */
export const replayWatchDelivery = async (
  tx: Transaction,
  owner: string | null,
  { id, delivery }: { id: string; delivery: string },
): Promise<boolean> => {
  const watch = await lockWatch(tx, owner, id)
  if (watch === null) return false
  const status = await replayDelivery(tx, id, delivery)
  if (status === null) return false
  const receiver = receiverOf(watch)
  if (status === 'pending') throw new ServiceError('not_ended', 'this delivery is still queued')
  await callReceiver(tx, receiver)
  return true
}

/**
 * Sends the queued deliveries of a watch now, instead of at their next attempt. Deliveries of one parcel are sent one after the other.
 * Returns false when the owner has no such watch.
 *
 * @throws ServiceError `conflict`
 */
export const sendWatchNow = async (tx: Transaction, owner: string | null, id: string): Promise<boolean> => {
  const watch = await lockWatch(tx, owner, id)
  if (watch === null) return false
  const receiver = receiverOf(watch)
  await hastenDeliveries(tx, id)
  await callReceiver(tx, receiver)
  return true
}

const receiverOf = ({ active, receiver }: WatchSettings): string => {
  if (receiver === null) throw new ServiceError('conflict', 'this watch has no webhook')
  if (!active) throw new ServiceError('conflict', 'this watch is not active')
  return receiver
}
