import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { FINDINGS } from '../../../../core/bounds'
import type { Db } from '../../../../core/postgres/database'
import { dismissFinding, reopenFinding } from '../../../../drizzle/queries/findings/dismiss-finding'
import { findFinding } from '../../../../drizzle/queries/findings/findings'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, idOf, keyedErrors, notFound } from '../../schemas'
import { findingOfParcel } from './findings'

const findingKey = Type.Object({ id: idOf('finding') })

/** @throws HttpError 404 */
const getFinding = async (db: Db, id: string, request: Request): Promise<Response> => {
  const found = await findFinding(db, id)
  if (found === null) throw new HttpError(404, 'not found')
  return jsonResponse(await namedFor(db, request, found))
}

const dismissals = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/findings/:id/dismiss',
      ({ params: { id }, body: { reason }, request, once }) =>
        once(async (tx) => {
          await dismissFinding(tx, id, { reason, by: principalOf(request).actor })
          return getFinding(tx, id, request)
        }),
      {
        needs: 'admin',
        idempotent: true,
        params: findingKey,
        body: Type.Object(
          {
            reason: Type.String({
              minLength: 1,
              maxLength: FINDINGS.reason,
              description: 'Why the finding needs no action.',
              examples: ['The deed was recorded late.'],
            }),
          },
          { ...closed, description: 'The reason.', examples: [{ reason: 'The deed was recorded late.' }] },
        ),
        response: { 200: findingOfParcel, ...keyedErrors, ...notFound },
        detail: {
          tags: ['findings'],
          summary: 'Dismiss a finding',
          description:
            'Lists leave it out until its evidence changes. It stays dismissed even if it disappears and comes back with the same evidence.',
          operationId: 'dismissFinding',
        },
      },
    )
    .delete(
      '/findings/:id/dismiss',
      async ({ params: { id }, request }) => {
        await reopenFinding(sql, id)
        return getFinding(sql, id, request)
      },
      {
        needs: 'admin',
        params: findingKey,
        response: { 200: findingOfParcel, ...keyedErrors, ...notFound },
        detail: {
          tags: ['findings'],
          summary: 'Reopen a dismissed finding',
          description: 'Lists show it again. Does nothing if it is not dismissed.',
          operationId: 'reopenFinding',
        },
      },
    )

/**
 * Eden distinguishes routes by the names of their parameters, and `/findings/:source/:id` has a different name in the same position. So
 * the type of the whole app lacks these routes, and the web app has a separate client for them.
 */
export const findingDismissalRoutes = (deps: Deps): Elysia => dismissals(deps) as unknown as Elysia
export type FindingDismissals = ReturnType<typeof dismissals>
