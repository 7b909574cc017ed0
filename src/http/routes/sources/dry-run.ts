import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { SCRAPE_LIMIT_MS } from '../../../../adapters/scrape-limits'
import { type Comparison, compareWithPage } from '../../../scrape/prove/compare-with-page'
import { authorization, principalOf } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import type { Deps } from '../../deps'
import {
  closed,
  countOf,
  keyedErrors,
  NO_IDEMPOTENCY_KEY,
  notFound,
  orderedParcelId,
  sourceParcelId,
  sourceSlug,
  textOf,
} from '../../schemas'
import { scrapeOverrides } from '../scrape-jobs/scrape-now'
import { reading, vendorConfig } from './schemas'

/** Nothing is sent during a scrape, so the connection's idle timeout must be longer than the scrape and its wait for a turn. */
export const DRY_RUN_IDLE_S = SCRAPE_LIMIT_MS.plain / 1000 + 45

const texts = (description: string, example: string) =>
  Type.Array(Type.String({ examples: [example] }), { description })

const dryRun = Type.Object(
  {
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    reading: Type.Union([reading, Type.Null()], {
      description: 'A hash of what was read, for `POST /v1/sources/{source}/proof`; null if nothing was.',
    }),
    failure: Type.Union(
      [
        Type.Object(
          {
            code: Type.String({ description: 'How it failed.', examples: ['page_changed'] }),
            message: textOf('Why.', 'no "Owner:" under "Property Details"'),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'Why the parcel could not be read; null if it was.' },
    ),
    values: Type.Array(
      Type.Object(
        {
          field: textOf('Name of the field.', 'scrape_data.sale_history[0].price'),
          value: textOf('Its value.', '250000'),
        },
        closed,
      ),
      { description: 'What was read.' },
    ),
    labels: Type.Array(
      Type.Object(
        {
          label: textOf('A label or heading of the page.', 'Owner:'),
          value: textOf('The text beside or below it, at most 200 characters.', 'JUNIPER ADA'),
          is_read: Type.Boolean({ description: 'Whether the adapter read this text.', examples: [true] }),
          fields: texts('Fields whose value is this text or a part of it.', 'owner_name'),
        },
        closed,
      ),
      { description: 'Labels of the pages, in their order; at most 300. Pages in JSON have none.' },
    ),
    unread: texts('Labels and headings that no field came from.', 'Flood zone:'),
    warnings: texts('What looks wrong.', 'the property page was read in the wrong charset'),
    absent: texts('Fields that the pages do not show.', 'zoning_code'),
    answers: Type.Array(
      Type.Object(
        {
          name: textOf("The adapter's name for the page.", 'property'),
          url: textOf('Its URL.', 'https://portal.example/property?id=1'),
          status: countOf('HTTP status.', 200),
          size_bytes: countOf('Size.', 23_456),
        },
        closed,
      ),
      { description: 'What the portal sent, in the order of the requests.' },
    ),
  },
  {
    ...closed,
    component: 'DryRun',
    description: 'The result of a scrape that was not stored, with the labels of its pages.',
  },
)

export const dryRunRoute = ({ tryParcel, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).post(
    '/sources/:source/dry-run',
    async ({ params: { source }, body, request, server }) => {
      server?.timeout(request, DRY_RUN_IDLE_S)
      const { source_parcel_id: sourceParcelId, vendor_config, overrides = {} } = body
      const asked = { source, sourceParcelId, overrides, vendorConfig: vendor_config }
      const { callerHash: caller } = principalOf(request)
      const compared = compareWithPage(await tryParcel(asked, { caller, signal: request.signal }))
      return jsonResponse(JSON.stringify({ source, source_parcel_id: sourceParcelId, ...toBody(compared) }))
    },
    {
      needs: 'admin',
      params: Type.Object({ source: sourceSlug }),
      body: Type.Object(
        {
          source_parcel_id: orderedParcelId,
          vendor_config: Type.Optional(vendorConfig('Settings to try in place of the stored ones.')),
          overrides: Type.Optional(scrapeOverrides),
        },
        { ...closed, description: 'The parcel to scrape.', examples: [{ source_parcel_id: '12-0345-0670' }] },
      ),
      response: { 200: dryRun, ...keyedErrors, ...notFound, 409: errorBody, 429: errorBody },
      detail: {
        ...NO_IDEMPOTENCY_KEY,
        tags: ['sources'],
        summary: 'Scrape one parcel without storing it',
        description:
          'Requests the parcel from the portal, with the same spacing as jobs, and stores nothing. A failure of the portal is a result: see `failure`. 409: the vendor is paused, or needs a browser (use `bun run adapter prove`).',
        operationId: 'dryRunSource',
      },
    },
  )

const toBody = ({ values, labels, answers, ...compared }: Comparison) => ({
  ...compared,
  values: values.map(({ field, value }) => ({ field, value: String(value) })),
  labels: labels.map(({ isRead, ...label }) => ({ ...label, is_read: isRead })),
  answers: answers.map(({ sizeBytes, ...answer }) => ({ ...answer, size_bytes: sizeBytes })),
})
