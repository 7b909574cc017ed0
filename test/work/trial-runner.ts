import { Type } from '@sinclair/typebox'
import type { WorkKind } from '../../drizzle/queries/work/kinds/work-kind'
import { orderWork } from '../../drizzle/queries/work/order-work'
import type { WorkRunner } from '../../src/work/runner'

const closed = { additionalProperties: false } as const
export const TRIAL = {
  name: 'trial',
  payload: Type.Object({ to: Type.Integer({ minimum: 1 }), failsAt: Type.Optional(Type.Integer()) }, closed),
  result: Type.Object({ counted: Type.Integer() }, closed),
} satisfies WorkKind

/** Counts to `payload.to`, step by step. A kind of work needs only this, entries in `work-kinds.ts` and `runners.ts`, and a call of `orderWork`. */
export const trialRunner: WorkRunner = {
  kind: TRIAL,
  mostAtOnce: 1,
  mostFailures: 3,
  isWorthRetrying: () => true,
  run: async (work, { sql, signal, advance }) => {
    const { to, failsAt = null } = work.payload as { to: number; failsAt?: number | null }
    for (let step = Number(work.cursor ?? 0) + 1; step <= to; step++) {
      signal.throwIfAborted()
      if (step === failsAt) throw new Error('this step always fails')
      await sql`insert into trial_steps (work_id, step) values (${work.id}, ${step})`
      await advance({ done: step, total: to, cursor: String(step) })
      await Bun.sleep(20)
    }
    return { counted: to }
  },
}

export const orderTrial = (db: Parameters<typeof orderWork>[0], payload: { to: number; failsAt?: number }) =>
  orderWork(db, { kind: TRIAL, subject: null, payload, requestedBy: 'operator' })
