import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listVendors } from '../../../drizzle/queries/concurrency'
import { findVendorHistory } from '../../../drizzle/queries/keep-history'
import { listTuningLog } from '../../../drizzle/queries/tuning-log'
import { CONCURRENCY_MODES } from '../../../drizzle/schema/vendor-concurrency'
import { changeConcurrency } from '../../services/change-concurrency'
import { runTuner } from '../../services/run-tuner'
import { authorization, principalOf } from '../auth'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { idempotency } from '../idempotency'
import { jsonResponse, listJson, listResponse, wholeOrPageJson } from '../json'
import { namedFor } from '../named-for'
import {
  closed,
  keyedErrors,
  limit,
  nextIfLimited,
  notFound,
  nullable,
  oneOf,
  query,
  timestamp,
  uuid,
  vendorName,
  WHO,
} from '../schemas'

const MOST_CONCURRENCY = 1_000
const LONGEST_THRESHOLD_MS = 600_000
const LONGEST_WINDOW_MINUTES = 1_440
const LONGEST_HISTORY_HOURS = 168

const concurrency = Type.Integer({ minimum: 1, maximum: MOST_CONCURRENCY, description: 'Scrapes at once.' })
const mode = oneOf(CONCURRENCY_MODES, {
  examples: ['auto'],
  description: '`auto`: the tuner moves the target. `manual`: it stays where it was set.',
})
const thresholdMs = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: LONGEST_THRESHOLD_MS, description, examples: [example] })

const settings = {
  min_concurrency: concurrency,
  max_concurrency: Type.Integer({ ...concurrency, examples: [8] }),
  target_concurrency: Type.Integer({ ...concurrency, examples: [4] }),
  mode,
  slow_threshold_ms: thresholdMs('A p95 above it lowers the target.', 8_000),
  fast_threshold_ms: thresholdMs('A p95 below it lets the target rise.', 2_000),
  step_size: Type.Integer({
    minimum: 1,
    maximum: MOST_CONCURRENCY,
    description: 'The least that a step moves the target.',
  }),
  signal_window_minutes: Type.Integer({
    minimum: 1,
    maximum: LONGEST_WINDOW_MINUTES,
    description: 'How far back the tuner looks; it takes one step in that time.',
    examples: [10],
  }),
}

const vendor = Type.Object(
  {
    vendor: vendorName,
    ...settings,
    last_signal: nullable(Type.String({ description: 'Why the tuner last moved, in words.' })),
    last_tuned_at: Type.Union([timestamp, Type.Null()]),
    updated_at: timestamp,
    updated_by: nullable(
      Type.String({
        description: `\`auto\`, ${WHO}.`,
      }),
    ),
  },
  closed,
)

const target = Type.Integer({ minimum: 1 })
const signals = Type.Object({}, { additionalProperties: true, description: 'What led to it.' })

const tuningEntry = Type.Object(
  {
    id: uuid,
    vendor: vendorName,
    previous_target: target,
    new_target: target,
    reason: Type.String({ examples: ['refused (212 done, 9 throttled, p50 640 ms, p95 1210 ms): halved'] }),
    signals,
    actor: Type.String({
      description: `\`auto\`, ${WHO}.`,
      examples: ['auto'],
    }),
    created_at: timestamp,
  },
  closed,
)

const decision = Type.Object(
  {
    vendor: vendorName,
    mode,
    previous_target: target,
    new_target: target,
    changed: Type.Boolean({ description: 'Whether it moved anything, and is in the tuning log.' }),
    reason: Type.String({ examples: ['all well (840 done, p50 510 ms, p95 760 ms): up'] }),
    signals,
  },
  closed,
)

const history = Type.Object(
  {
    vendor: vendorName,
    points: Type.Array(
      Type.Object(
        {
          at: timestamp,
          target: Type.Integer({ minimum: 1, description: 'At the end of these five minutes.' }),
          p95_seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
            description: 'Of the scrapes that brought a record; null when none did.',
          }),
          errors: Type.Integer({ minimum: 0, description: 'Tries that failed; an unknown parcel is no failure.' }),
          finished: Type.Integer({ minimum: 0, description: 'Tries that ended, failed ones included.' }),
        },
        closed,
      ),
      { description: 'The oldest first.' },
    ),
    changes: Type.Array(
      Type.Object(
        {
          at: timestamp,
          previous_target: target,
          new_target: target,
          reason: Type.String({ examples: ['all well (840 done, p50 510 ms, p95 760 ms): up'] }),
          actor: Type.String({ description: `\`auto\`, ${WHO}.`, examples: ['auto'] }),
        },
        closed,
      ),
      { description: 'Of the target, as the tuning log has them, the oldest first.' },
    ),
  },
  closed,
)

export const concurrencyRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .get(
      '/admin/concurrency',
      async ({ query: { limit, after }, request }) => {
        const list = (limit: number | null) => listVendors(sql, { after: after ?? null, limit })
        const text = await wholeOrPageJson('vendors', limit, list, ({ vendor }) => vendor)
        return jsonResponse(await namedFor(sql, request, text))
      },
      {
        needs: 'read',
        query: query({ limit: limit(500), after: t.Optional(vendorName) }),
        response: {
          200: Type.Object({ count: Type.Integer(), vendors: Type.Array(vendor), next: nextIfLimited }),
          ...keyedErrors,
        },
        detail: {
          tags: ['concurrency'],
          summary: 'How much of each vendor is scraped at once',
          operationId: 'listConcurrency',
        },
      },
    )
    .get(
      '/admin/concurrency/:vendor/history',
      async ({ params, query: { hours = 24 }, request }) => {
        const history = await findVendorHistory(sql, params.vendor, hours)
        if (history === null) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, history))
      },
      {
        needs: 'admin',
        params: Type.Object({ vendor: vendorName }),
        query: query({
          hours: t.Optional(
            t.Integer({
              minimum: 1,
              maximum: LONGEST_HISTORY_HOURS,
              description: 'How far back (24 when it is left out).',
            }),
          ),
        }),
        response: { 200: history, ...keyedErrors, ...notFound },
        detail: {
          tags: ['concurrency'],
          summary: "How a vendor's scrapes went, and why its target moved",
          description:
            'Points are five minutes each; there is none where nothing ended, and none of the five minutes that are not over.',
          operationId: 'getConcurrencyHistory',
        },
      },
    )
    .patch(
      '/admin/concurrency/:vendor',
      async ({ params, body, request }) => {
        const changed = await changeConcurrency(sql, params.vendor, {
          change: body,
          actor: principalOf(request).actor,
        })
        if (changed === null) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, changed))
      },
      {
        needs: 'admin',
        params: Type.Object({ vendor: vendorName }),
        body: Type.Partial(Type.Object(settings), {
          ...closed,
          minProperties: 1,
          examples: [{ mode: 'manual', target_concurrency: 4 }],
        }),
        response: { 200: vendor, ...keyedErrors, ...notFound },
        detail: {
          tags: ['concurrency'],
          summary: "Set a vendor's limits, or freeze it",
          description: 'Values are judged as the row would become. `manual` with a target freezes the vendor.',
          operationId: 'updateConcurrency',
        },
      },
    )
    .post(
      '/admin/concurrency/run-tuner',
      async () => {
        const decisions = await runTuner(sql)
        const rows = decisions.map(({ previousTarget, newTarget, ...rest }) =>
          JSON.stringify({ ...rest, previous_target: previousTarget, new_target: newTarget }),
        )
        return listResponse('decisions', rows)
      },
      {
        needs: 'admin',
        idempotent: true,
        response: { 200: Type.Object({ count: Type.Integer(), decisions: Type.Array(decision) }), ...keyedErrors },
        detail: { tags: ['concurrency'], summary: 'Run one cycle of the tuner now', operationId: 'runTuner' },
      },
    )
    .get(
      '/admin/tuning-log',
      async ({ query: { vendor, limit = 50 }, request }) => {
        const entries = await listTuningLog(sql, { vendor: vendor ?? null, limit })
        return jsonResponse(await namedFor(sql, request, listJson('entries', entries)))
      },
      {
        needs: 'read',
        query: query({ vendor: t.Optional(vendorName), limit: limit(500, 50) }),
        response: { 200: Type.Object({ count: Type.Integer(), entries: Type.Array(tuningEntry) }), ...keyedErrors },
        detail: {
          tags: ['concurrency'],
          summary: 'Changes of targets and why, newest first',
          operationId: 'listTuningLog',
        },
      },
    )
