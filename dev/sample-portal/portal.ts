import { setTimeout as sleep } from 'node:timers/promises'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { findProblem } from '../../core/schema/schema-problem'
import { type PortalRecord, writePage } from './page'

const traffic = Type.Object(
  {
    latencyMs: Type.Integer({ default: 0, minimum: 0, maximum: 600_000, description: 'Delay of each response.' }),
    errorRate: Type.Number({
      default: 0,
      minimum: 0,
      maximum: 1,
      description: 'Share of requests that fail with 500.',
    }),
    throttleAbove: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      default: null,
      description: 'Concurrent requests beyond this number get 429. Null: no limit.',
    }),
    retryAfterS: Type.Integer({ default: 2, minimum: 0, description: 'Retry-After of responses with 429.' }),
    maintenance: Type.Boolean({ default: false, description: 'Show a notice instead of every page.' }),
  },
  { additionalProperties: false },
)

/** The portal's behavior. */
export type Traffic = Static<typeof traffic>

export interface PortalOptions {
  /** Null: the portal does not know this parcel. */
  findRecord: (number: string) => PortalRecord | null
  traffic?: Partial<Traffic>
}

export interface Portal {
  /** For `ownOrigins` of the client that requests it. */
  origin: string
  /** For the source row. */
  baseUrl: string
  /** Changes the given settings for new requests. */
  setTraffic: (change: Partial<Traffic>) => void
  stop: () => Promise<void>
}

/**
 * The portal of an invented county, on a free port of this machine:
 *
 * - `GET /assessor/parcel?id=...`: the parcel's page with an `ETag`; 304, 404, 429, 500 and 503 as real portals send them
 * - `GET /traffic`, `PUT /traffic`: the portal's behavior as JSON: `{"latencyMs": 500, "errorRate": 0.1, "throttleAbove": 4}`
 */
export const startPortal = ({ findRecord, traffic: given = {} }: PortalOptions): Portal => {
  let behavior = Value.Default(traffic, { ...given }) as Traffic
  let atOnce = 0
  const stopping = new AbortController()

  const answer = async (request: Request): Promise<Response> => {
    const { latencyMs, errorRate, throttleAbove, retryAfterS, maintenance } = behavior
    if (throttleAbove !== null && atOnce > throttleAbove) {
      return new Response('Too many requests', { status: 429, headers: { 'retry-after': String(retryAfterS) } })
    }
    if (latencyMs > 0) await sleep(latencyMs, undefined, { signal: stopping.signal }).catch(() => {})
    if (Math.random() < errorRate) return html('<h1>Server Error</h1>', 500)
    if (maintenance) return html('<h1>Larkspur County</h1><p>The site is down for maintenance.</p>', 503)
    const number = new URL(request.url).searchParams.get('id') ?? ''
    const record = findRecord(number)
    if (record === null) return html(`<h1>No parcel ${Bun.escapeHTML(number)}</h1>`, 404)
    const page = writePage(record)
    const etag = `"${Bun.hash(page).toString(36)}"`
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: { etag } })
    return html(page, 200, { etag })
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/assessor/parcel': async (request) => {
        atOnce++
        try {
          return await answer(request)
        } finally {
          atOnce--
        }
      },
      '/traffic': {
        GET: () => Response.json(behavior),
        PUT: async (request) => {
          const change = await request.json().catch(() => null)
          const problem = findProblem(Type.Partial(traffic), change, 'traffic')
          if (problem !== null) return new Response(`${problem}\n`, { status: 400 })
          behavior = { ...behavior, ...(change as Partial<Traffic>) }
          return Response.json(behavior)
        },
      },
    },
    fetch: () => html('<h1>Not found</h1>', 404),
  })
  const origin = `http://127.0.0.1:${server.port}`
  return {
    origin,
    baseUrl: `${origin}/assessor`,
    setTraffic: (change) => {
      behavior = { ...behavior, ...change }
    },
    stop: () => {
      // Otherwise the timers of slow responses keep the process alive.
      stopping.abort()
      return server.stop(true)
    },
  }
}

const html = (body: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(body, { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } })
