import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { isUuid } from '../../../core/text/uuid'
import { findEntityJson, listEntitiesNamed } from '../../../drizzle/queries/entities/find-entity'
import { authorization } from '../callers/auth'
import { readerOf } from '../callers/caller-of'
import { jsonResponse } from '../convention/body/json'
import { HttpError } from '../convention/errors'
import type { Deps } from '../deps'
import { at, closed, idOf, keyedErrors, notFound, query, UUID_EXAMPLE } from '../schemas'
import { entityFields } from './search/schemas'

const entityKey = Type.Object({ id: Type.String({ description: 'Id of the entity.', examples: [UUID_EXAMPLE] }) })

const entity = Type.Object(
  { id: idOf('entity'), ...entityFields, updated_at: at('Time of its last change.') },
  { ...closed, component: 'Entity', description: 'A company or other entity of a business registry.' },
)

/** Several entities with the same name are usually in different states, or one replaced another. */
const MAX_NAMED = 100

export const entityRoutes = ({ reads, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/entities',
      async ({ query: { name }, request }) => {
        const bodies = await reads.run(readerOf(request), (db) => listEntitiesNamed(db, name, MAX_NAMED))
        return jsonResponse(`{"entities":[${bodies.join()}]}`)
      },
      {
        needs: 'read',
        query: query({
          name: t.String({
            minLength: 1,
            maxLength: 500,
            description:
              'Name of the entity, such as the `owner_name` of a parcel. Case, punctuation and forms such as `L.L.C.` do not matter.',
            examples: ['Larkspur Holdings, L.L.C.'],
          }),
        }),
        response: {
          200: Type.Object({
            entities: Type.Array(entity, {
              maxItems: MAX_NAMED,
              description: `The first ${MAX_NAMED}, by state and registry number.`,
            }),
          }),
          ...keyedErrors,
        },
        detail: {
          tags: ['search'],
          summary: 'Find registry entities by their name',
          description:
            'Finds the company that owns a parcel: returns the entities with exactly this name, in any usual spelling. For similar names, search with `types=entities`.',
          operationId: 'listEntities',
        },
      },
    )
    .get(
      '/entities/:id',
      async ({ params: { id }, request }) => {
        const body = isUuid(id) ? await reads.run(readerOf(request), (db) => findEntityJson(db, id)) : null
        if (body === null) throw new HttpError(404, 'not found')
        return jsonResponse(body)
      },
      {
        needs: 'read',
        params: entityKey,
        response: { 200: entity, ...keyedErrors, ...notFound },
        detail: {
          tags: ['search'],
          summary: 'Get one registry entity',
          description:
            'The record of a company in the business registry. To list its parcels, send its `name` to `GET /v1/parcels?owner=`: it returns those whose owner has this name, in any usual spelling.',
          operationId: 'getEntity',
        },
      },
    )
