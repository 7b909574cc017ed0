import { appendFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'

/*
 * A receiver of webhooks in a separate process, which tests can kill: bun test/watches/receiver-process.ts PORT MODE LOG SECRET.
 * It appends a line to LOG for each request that it takes: the id, the parcel and the version. It refuses wrong signatures.
 *
 * `fails`: one request in five gets a 500. `hangs`: one in ten gets no response, half of them after they were taken.
 */
const [port = '', mode = '', log = '', secret = ''] = process.argv.slice(2)
const webhook = new Webhook(secret)
let requests = 0

const take = (body: string, headers: Headers): void => {
  const { data } = webhook.verify(body, Object.fromEntries(headers)) as {
    data: { change: { source_parcel_id: string; version: number } }
  }
  appendFileSync(log, `${headers.get('webhook-id')} ${data.change.source_parcel_id} ${data.change.version}\n`)
}

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  idleTimeout: 30,
  fetch: async (request) => {
    const body = await request.text()
    const turn = requests++
    if (mode === 'fails' && turn % 5 === 2) return new Response('not now', { status: 500 })
    const hangs = mode === 'hangs' && turn % 10 === 4
    if (!hangs || turn % 20 === 4) {
      try {
        take(body, request.headers)
      } catch (error) {
        appendFileSync(log, `refused ${error}\n`)
        return new Response('', { status: 401 })
      }
    }
    if (hangs) await new Promise(() => {})
    return new Response('ok')
  },
})
console.log('listening')
