import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listProvenance, ORIGINS } from '../../../parcels/parcel-provenance'
import { authorization } from '../../callers/auth'
import { readerOf } from '../../callers/caller-of'
import { listJson } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import { conditionalJson } from '../../convention/response/conditional'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import {
  atOrNull,
  CONDITIONAL,
  closed,
  count,
  countOrNull,
  keyedErrors,
  notFound,
  oneOf,
  PAGE_HASH,
  parcelKey,
  TELLS_VERSION,
  textOrNull,
  uuid,
} from '../../schemas'

const fieldOrigin = Type.Object(
  {
    field: Type.String({ description: 'Name of the field in the full record.', examples: ['scrape_data.owners'] }),
    value: Type.Unknown({
      description: 'Value of the field. Null for the boundary; get it from the full record.',
      examples: [[{ name: 'MARLOWE ROSE' }]],
    }),
    observed_at: atOrNull('Time when this value was first seen; null if it is older than the change log.'),
    origin: oneOf(ORIGINS, {
      description:
        'What led to the last change of the field. `replay`: a kept page was read again. `review`: the review engine derived it from a scrape. `unknown`: the value is older than the change log.',
      examples: ['scrape'],
    }),
    job_id: Type.Union([uuid, Type.Null()], {
      description: 'The job that scraped it, if any.',
      examples: uuid.examples,
    }),
    cause_id: Type.Union([uuid, Type.Null()], {
      description: 'Id of the load, crawl, job, replay or undo, if any.',
      examples: uuid.examples,
    }),
    line: countOrNull('Line of the loaded file. If there is a `place`, the number of the row in the load.', 12),
    place: textOrNull(
      'Which row of the loaded files it was, if `line` alone does not say: `feature 12` or `lots.csv, line 7`.',
      'feature 12',
    ),
    page: textOrNull('URL of the page at the portal.', 'https://gis.larkspur.example/parcels/12-0345-0670'),
    page_hash: textOrNull('Hash of the kept page, if it was kept: `/pages/{hash}` returns it to admins.', PAGE_HASH),
    page_at: atOrNull('When the portal answered, if the page was kept.'),
    adapter: textOrNull('The adapter that read the page.', 'arcgis-rest'),
    version: textOrNull('Version of the service that read the page.', '0.1.0'),
  },
  { ...closed, component: 'FieldOrigin', description: 'Where one field of a parcel came from.' },
)

export const listProvenanceRoute = ({ reads, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/parcels/:source/:id/provenance',
      async ({ params, request }) => {
        const fields = await reads.run(readerOf(request), (db) => listProvenance(db, params))
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
        tellsVersion: true,
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
          ...TELLS_VERSION,
          tags: ['parcels'],
          summary: 'Get the origin of each field of a parcel',
          description:
            'The origin of a field is its last change in the change log: when, why, and from which page or row of a file the value is.',
          operationId: 'listProvenance',
        },
      },
    )
