import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listSources } from '../../../../drizzle/queries/sources/sources'
import { authorization, principalOf } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { wholeOrPageJson } from '../../convention/body/json'
import { parseState } from '../../convention/parameters/parse-state'
import { conditionalJson } from '../../convention/response/conditional'
import type { Deps } from '../../deps'
import {
  afterName,
  CONDITIONAL,
  count,
  keyedErrors,
  limit,
  nextIfLimited,
  query,
  sourceSlug,
  vendorName,
} from '../../schemas'
import { source, withGrade, withoutTokens } from './schemas'

const sourceList = Type.Object({
  count,
  sources: Type.Array(source, { description: 'Ordered by slug.' }),
  next: nextIfLimited,
})

export const listSourcesRoute = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/sources',
    async ({ query: { state, vendor = null, active = null, retired = false, limit, after = null }, request }) => {
      const filter = { state: parseState(state), vendor, active, retired }
      const isAdmin = principalOf(request).capability === 'admin'
      const list = async (limit: number | null) =>
        (await listSources(sql, { ...filter, after, limit })).map((row) => ({
          ...row,
          body: isAdmin ? withGrade(row) : withoutTokens(withGrade(row)),
        }))
      return listTurns.run(callerOf(request), async () =>
        conditionalJson(request, await wholeOrPageJson('sources', limit, list, ({ source }) => source)),
      )
    },
    {
      needs: 'read',
      query: query({
        state: t.Optional(t.String({ description: 'Only sources of this state (2-letter code).', examples: ['OR'] })),
        vendor: t.Optional(
          Type.String({
            ...vendorName,
            description: 'Only sources of this vendor. An unknown vendor returns no sources.',
          }),
        ),
        active: t.Optional(
          t.Boolean({
            description: '`true`: only sources that the scheduler may scrape. `false`: only the others.',
            examples: [true],
          }),
        ),
        retired: t.Optional(
          t.Boolean({ byDefault: false, description: '`true`: only retired sources. `false`: only the others.' }),
        ),
        limit: limit(500),
        after: afterName(sourceSlug),
      }),
      response: { 200: sourceList, ...keyedErrors },
      detail: {
        ...CONDITIONAL,
        tags: ['sources'],
        summary: 'List sources with their cadence',
        description:
          'Returns all sources except retired ones, or one page of them if `limit` is given. Filters can be combined.',
        operationId: 'listSources',
      },
    },
  )
