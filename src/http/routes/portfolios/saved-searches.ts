import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { PORTFOLIO_BOUNDS } from '../../../../core/bounds'
import { isUuid } from '../../../../core/text/uuid'
import {
  addSavedSearch,
  deleteSavedSearch,
  listSavedSearches,
} from '../../../../drizzle/queries/portfolios/saved-searches'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse, pageJson } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { after, at, closed, count, idOf, keyedErrors, limit, next, notFound, query, UUID_EXAMPLE } from '../../schemas'
import { name } from './schemas'

const searchQuery = Type.String({
  minLength: 1,
  maxLength: PORTFOLIO_BOUNDS.queryCharacters,
  pattern: '^[^\\u0000-\\u0020]+$',
  takes: 'the query of a URL, such as q=alder&state=OR',
  description: 'The query string of the search page. Append it to `/app/search?` to open the search.',
  examples: ['q=alder&state=OR'],
})

const savedSearch = Type.Object(
  { id: idOf('saved search'), name, query: searchQuery, created_at: at('When it was saved.') },
  { ...closed, component: 'SavedSearch', description: 'A saved search.' },
)

/** Searches that people save. */
export const savedSearchRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .get(
      '/saved-searches',
      async ({ query: { limit = 100, after = null }, request }) => {
        const owner = watcherOf(principalOf(request))
        const list = (atMost: number) => listSavedSearches(sql, owner, { after, limit: atMost })
        return jsonResponse(await pageJson('searches', limit, list, ({ id }) => id))
      },
      {
        needs: 'read',
        query: query({ limit: limit(500, 100), after }),
        response: {
          200: Type.Object({ count, searches: Type.Array(savedSearch, { description: 'Newest first.' }), next }),
          ...keyedErrors,
        },
        detail: {
          tags: ['portfolios'],
          summary: 'List your saved searches',
          description: 'Those of your account, or of your key if it has no account, newest first.',
          operationId: 'listSavedSearches',
        },
      },
    )
    .post(
      '/saved-searches',
      ({ body, request, once }) =>
        once(async (tx) => {
          const principal = principalOf(request)
          const { most } = PORTFOLIO_BOUNDS
          const owner = { owner: watcherOf(principal), accountId: principal.accountId }
          const saved = await addSavedSearch(tx, owner, { name: body.name.trim(), query: body.query, most })
          if (saved === null) throw new HttpError(409, `there are ${most} saved searches already: delete one`)
          return jsonResponse(saved, { status: 201 })
        }),
      {
        needs: 'read',
        idempotent: true,
        body: Type.Object(
          { name, query: searchQuery },
          { ...closed, description: 'A search.', examples: [{ name: 'Alder in Oregon', query: 'q=alder&state=OR' }] },
        ),
        response: { 201: savedSearch, ...keyedErrors, 409: errorBody },
        detail: {
          tags: ['portfolios'],
          summary: 'Save a search',
          description: `Everyone with a key or session of your account can use it. An account, or a key without an account, can have at most ${PORTFOLIO_BOUNDS.most}.`,
          operationId: 'addSavedSearch',
        },
      },
    )
    .delete(
      '/saved-searches/:id',
      async ({ params: { id }, request }) => {
        const deleted = isUuid(id) ? await deleteSavedSearch(sql, watcherOf(principalOf(request)), id) : null
        if (deleted === null) throw new HttpError(404, 'not found')
        return jsonResponse(deleted)
      },
      {
        needs: 'read',
        params: Type.Object({
          id: Type.String({ description: 'A saved search id (UUID).', examples: [UUID_EXAMPLE] }),
        }),
        response: { 200: savedSearch, ...keyedErrors, ...notFound },
        detail: {
          tags: ['portfolios'],
          summary: 'Delete one of your saved searches',
          description: 'Returns it as it was.',
          operationId: 'deleteSavedSearch',
        },
      },
    )
