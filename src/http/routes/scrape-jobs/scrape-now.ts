import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ScrapeError } from '../../../../adapters/scrape-error'
import { SCRAPE_LIMIT_MS } from '../../../../adapters/scrape-limits'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, orderedParcelKey, parcelKey } from '../../schemas'
import { parcel } from '../parcels/schemas'

/** Nothing is sent during a scrape, so the connection's idle timeout must be longer than the scrape. */
const CONNECTION_IDLE_S = SCRAPE_LIMIT_MS.plain / 1000 + 15

const text = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: parcelKey.properties.id.pattern as string,
      takes: 'text of 1 to 256 characters without control characters',
      description,
      examples: [example],
    }),
  )

export const scrapeOverrides = Type.Object(
  {
    vendorKey: text(
      "The portal's own key for the parcel. If it leads to the page of another parcel, the scrape fails (`wrong_parcel`).",
      'R0012345',
    ),
    pacsPropId: Type.Optional(Type.Integer({ minimum: 0, description: 'Property id in PACS.', examples: [104_711] })),
    ownerName: text('Owner name, for portals that search by owner.', 'JUNIPER ADA'),
    situsAddress: text('Address, for portals that search by address.', '123 N ALDER ST'),
  },
  {
    ...closed,
    component: 'ScrapeOverrides',
    description: "Needed only if the portal's key cannot be derived from source_parcel_id. May be omitted or {}.",
    examples: [{}],
  },
)

const browserNeeded = Type.Object({
  error: Type.String({
    description: 'Why the parcel was not scraped immediately.',
    examples: ['helion-pso needs a browser: a job was queued, and the parcel is updated when it is done'],
  }),
  enqueued: Type.Optional(Type.Boolean({ description: 'Whether a job was queued instead.', examples: [true] })),
})

export const scrapeNowRoutes = ({ sql, scrapeNow, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/parcels/:source/:id/scrape-now',
      ({ params, body, request, server, onceAsJob }) => {
        server?.timeout(request, CONNECTION_IDLE_S)
        return onceAsJob(async (key) => {
          const outcome = await scrapeNow({
            source: params.source,
            sourceParcelId: params.id,
            overrides: body ?? {},
            requester: requesterOf(request),
            key,
          }).catch(addScrapeCode)
          return 'parcel' in outcome
            ? jsonResponse(outcome.parcel)
            : jsonResponse(JSON.stringify({ enqueued: true, error: outcome.reason }), { status: 503 })
        })
      },
      {
        needs: 'enqueue',
        idempotent: true,
        params: orderedParcelKey,
        body: Type.Union([scrapeOverrides, Type.Null()]),
        response: { 200: parcel, ...keyedErrors, ...notFound, 409: errorBody, 502: errorBody, 503: browserNeeded },
        detail: {
          tags: ['parcels'],
          summary: 'Scrape a parcel now and wait for the result',
          description:
            'Concurrent requests for one parcel share one scrape. 409: an operator has paused the vendor. 502: the portal or the network failed, or the scrape took more than 60 s; the error starts with the kind of failure. 503 with `enqueued`: the portal needs a browser, so a job was queued; poll the parcel until `scrape_data` is filled.',
          operationId: 'scrapeParcelNow',
        },
      },
    )

/** A failed scrape is caused by the portal or its configuration, never by the caller's request. */
const addScrapeCode = (error: unknown): never => {
  if (!(error instanceof ScrapeError)) throw error
  throw new HttpError(error.code === 'not_found' ? 404 : 502, `${error.code}: ${error.message}`)
}
