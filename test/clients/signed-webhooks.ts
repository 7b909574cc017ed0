import { Webhook } from 'standardwebhooks'
import type { Setting } from './scenario'

const SECRET = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
const FOREIGN_SECRET = `whsec_${btoa('another secret, just as long ...')}`
const ID = '019b76da-8c00-7000-8000-000000000001'
const BODY = '{"type":"watch.test","timestamp":"2026-01-02T03:04:05.678Z","data":{"watch_id":"1"}}'

const sign = (secret: string, at: Date) => ({
  headers: {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(ID, at, BODY)}`,
  },
  body: BODY,
})

/** Webhooks, signed now by the library that the service uses: a valid one, and others that must be refused. */
export const signWebhooks = (): Pick<Setting, 'webhooks' | 'webhookSecret'> => {
  const valid = sign(SECRET, new Date())
  return {
    webhookSecret: SECRET,
    webhooks: {
      valid,
      changed: { ...valid, body: BODY.replace('"1"', '"2"') },
      old: sign(SECRET, new Date(Date.now() - 400_000)),
      foreign: sign(FOREIGN_SECRET, new Date()),
    },
  }
}
