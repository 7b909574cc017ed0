import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listProvenance, ORIGINS } from '../../../parcels/parcel-provenance'
import { authorization } from '../../callers/auth'
import { conditionalJson } from '../../convention/conditional'
import { HttpError } from '../../convention/errors'
import { listJson } from '../../convention/json'
import type { Deps } from '../../deps'
import { atOrNull, CONDITIONAL, closed, count, keyedErrors, notFound, oneOf, parcelKey, uuid } from '../../schemas'

const fieldOrigin = Type.Object(
  {
    field: Type.String({ description: 'Name of the field in the full record.', examples: ['scrape_data.owners'] }),
    value: Type.Unknown({
      description: 'Value of the field. Null for the boundary; get it from the full record.',
      examples: [[{ name: 'MARLOWE ROSE' }]],
    }),
    observed_at: atOrNull('Time when the source was last seen with this value; null if not recorded.'),
    origin: oneOf(ORIGINS, {
      description:
        '`review`: the review engine derived it from a scrape. `unknown`: an ingest, or a scrape before origins were recorded.',
      examples: ['scrape'],
    }),
    job_id: Type.Union([uuid, Type.Null()], {
      description: 'The job that scraped it, if any.',
      examples: uuid.examples,
    }),
  },
  { ...closed, component: 'FieldOrigin', description: 'Where one field of a parcel came from.' },
)

export const listProvenanceRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/parcels/:source/:id/provenance',
    async ({ params, request }) => {
      const fields = await listProvenance(sql, params)
      if (fields === null) throw new HttpError(404, 'not found')
      return conditionalJson(
        request,
        listJson(
          'fields',
          fields.map((field) => JSON.stringify(field)),
        ),
      )
    },
    {
      needs: 'read',
      params: parcelKey,
      response: {
        200: Type.Object({
          count,
          fields: Type.Array(fieldOrigin, { description: 'All fields that have a value.' }),
        }),
        ...keyedErrors,
        ...notFound,
      },
      detail: {
        ...CONDITIONAL,
        tags: ['parcels'],
        summary: 'Get the origin of each field of a parcel',
        description:
          'Shows which scrape provided a field, and when, as far as that was recorded; otherwise null. Ingests are not recorded.',
        operationId: 'listProvenance',
      },
    },
  )
