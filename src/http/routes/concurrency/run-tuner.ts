import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { runTuner } from '../../../scrape/run-tuner'
import { authorization } from '../../callers/auth'
import { listResponse } from '../../convention/body/json'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { count, keyedErrors } from '../../schemas'
import { decision } from './schemas'

export const runTunerRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/admin/concurrency/run-tuner',
      ({ once }) =>
        once(async (tx) => {
          const decisions = await runTuner(tx)
          const rows = decisions.map(({ previousTarget, newTarget, ...rest }) =>
            JSON.stringify({ ...rest, previous_target: previousTarget, new_target: newTarget }),
          )
          return listResponse('decisions', rows)
        }),
      {
        needs: 'admin',
        idempotent: true,
        response: {
          200: Type.Object({
            count,
            decisions: Type.Array(decision, { description: 'One decision for each vendor.' }),
          }),
          ...keyedErrors,
        },
        detail: {
          tags: ['concurrency'],
          summary: 'Run one tuner cycle now',
          description: 'The tuner also runs automatically every minute. No body.',
          operationId: 'runTuner',
        },
      },
    )
