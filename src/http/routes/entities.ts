import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isUuid } from '../../../core/uuid'
import { findEntityJson } from '../../../drizzle/queries/entities/find-entity'
import { authorization } from '../callers/auth'
import { readerOf } from '../callers/caller-of'
import { jsonResponse } from '../convention/body/json'
import { HttpError } from '../convention/errors'
import type { Deps } from '../deps'
import { at, closed, idOf, keyedErrors, notFound, UUID_EXAMPLE } from '../schemas'
import { entityFields } from './search/schemas'

const entityKey = Type.Object({ id: Type.String({ description: 'Id of the entity.', examples: [UUID_EXAMPLE] }) })

const entity = Type.Object(
  { id: idOf('entity'), ...entityFields, updated_at: at('Time of its last change.') },
  { ...closed, component: 'Entity', description: 'A company or other entity of a business registry.' },
)

export const entityRoutes = ({ reads, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
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
