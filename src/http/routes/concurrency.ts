import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listVendors } from '../../../drizzle/queries/tuner/concurrency'
import { findVendorHistory } from '../../../drizzle/queries/tuner/keep-history'
import { listTuningLog } from '../../../drizzle/queries/tuner/tuning-log'
import { CONCURRENCY_MODES } from '../../../drizzle/schema/vendor-concurrency'
import { changeConcurrency } from '../../scrape/change-concurrency'
import { runTuner } from '../../scrape/run-tuner'
import { authorization, principalOf } from '../callers/auth'
import { namedFor } from '../callers/named-for'
import { HttpError } from '../convention/errors'
import { idempotency } from '../convention/idempotency'
import { jsonResponse, listJson, listResponse, wholeOrPageJson } from '../convention/json'
import type { Deps } from '../deps'
import {
  afterName,
  at,
  atOrNull,
  closed,
  count,
  countOf,
  idOf,
  keyedErrors,
  limit,
  nextIfLimited,
  notFound,
  oneOf,
  query,
  textOf,
  textOrNull,
  vendorName,
  WHO,
} from '../schemas'

const MOST_CONCURRENCY = 1_000
const LONGEST_THRESHOLD_MS = 600_000
const LONGEST_WINDOW_MINUTES = 1_440
const LONGEST_HISTORY_HOURS = 168
const RAISED = 'all well (840 done, p50 510 ms, p95 760 ms): up'

const concurrency = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: MOST_CONCURRENCY, description, examples: [example] })
const mode = oneOf(CONCURRENCY_MODES, {
  examples: ['auto'],
  description: '`auto`: the tuner moves the target. `manual`: it stays where it was set.',
})
const thresholdMs = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: LONGEST_THRESHOLD_MS, description, examples: [example] })

const settings = {
  min_concurrency: concurrency('The least scrapes at once.', 1),
  max_concurrency: concurrency('The most scrapes at once.', 8),
  target_concurrency: concurrency('Scrapes at once now.', 4),
  mode,
  slow_threshold_ms: thresholdMs('A p95 above it lowers the target.', 8_000),
  fast_threshold_ms: thresholdMs('A p95 below it lets the target rise.', 2_000),
  step_size: Type.Integer({
    minimum: 1,
    maximum: MOST_CONCURRENCY,
    description: 'The least that a step moves the target.',
    examples: [1],
  }),
  signal_window_minutes: Type.Integer({
    minimum: 1,
    maximum: LONGEST_WINDOW_MINUTES,
    description: 'How far back the tuner looks; it takes one step in that time.',
    examples: [10],
  }),
}

const whoOrTuner = `Who did it: \`auto\` (the tuner), ${WHO}.`
const vendor = Type.Object(
  {
    vendor: vendorName,
    ...settings,
    last_signal: textOrNull('Why the tuner last moved, in words; null: it never did.', RAISED),
    last_tuned_at: atOrNull('When the tuner last moved; null: never.'),
    updated_at: at('When the row last changed.'),
    updated_by: textOrNull(`${whoOrTuner} Null before the first change.`, 'auto'),
  },
  { ...closed, component: 'VendorConcurrency', description: 'How much of a vendor is scraped at once.' },
)

const target = (description: string, example: number) => Type.Integer({ minimum: 1, description, examples: [example] })
const previousTarget = target('Scrapes at once before.', 8)
const newTarget = target('Scrapes at once from then on.', 4)
const signals = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'What led to it.',
    examples: [{ done: 212, throttled: 9, p50_ms: 640, p95_ms: 1_210 }],
  },
)
const reason = textOf('Why, in words.', 'refused (212 done, 9 throttled, p50 640 ms, p95 1210 ms): halved')

const tuningEntry = Type.Object(
  {
    id: idOf('entry'),
    vendor: vendorName,
    previous_target: previousTarget,
    new_target: newTarget,
    reason,
    signals,
    actor: textOf(whoOrTuner, 'auto'),
    created_at: at('When it was done.'),
  },
  { ...closed, component: 'TuningEntry', description: "A change of a vendor's settings." },
)

const decision = Type.Object(
  {
    vendor: vendorName,
    mode,
    previous_target: previousTarget,
    new_target: newTarget,
    changed: Type.Boolean({ description: 'Whether it moved anything, and is in the tuning log.', examples: [true] }),
    reason,
    signals,
  },
  { ...closed, component: 'TunerDecision', description: 'What the tuner decided of a vendor.' },
)

const history = Type.Object(
  {
    vendor: vendorName,
    points: Type.Array(
      Type.Object(
        {
          at: at('When the five minutes began.'),
          target: target('Scrapes at once, at the end of these five minutes.', 4),
          p95_seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
            description: 'Of the scrapes that brought a record; null when none did.',
            examples: [1.21],
          }),
          errors: countOf('Tries that failed; an unknown parcel is no failure.', 3),
          finished: countOf('Tries that ended, failed ones included.', 212),
        },
        { ...closed, component: 'VendorHistoryPoint', description: 'Five minutes of a vendor.' },
      ),
      { description: 'The oldest first.' },
    ),
    changes: Type.Array(
      Type.Object(
        {
          at: at('When it was done.'),
          previous_target: previousTarget,
          new_target: newTarget,
          reason,
          actor: textOf(whoOrTuner, 'auto'),
        },
        { ...closed, component: 'TargetChange', description: 'A change of the target.' },
      ),
      { description: 'Of the target, as the tuning log has them, the oldest first.' },
    ),
  },
  { ...closed, component: 'VendorHistory', description: 'How the scrapes of a vendor went.' },
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
        query: query({ limit: limit(500), after: afterName(vendorName) }),
        response: {
          200: Type.Object({
            count,
            vendors: Type.Array(vendor, { description: 'By name.' }),
            next: nextIfLimited,
          }),
          ...keyedErrors,
        },
        detail: {
          tags: ['concurrency'],
          summary: 'How much of each vendor is scraped at once',
          description: 'All vendors in one answer, unless `limit` is given.',
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
              description: 'How many hours back.',
              byDefault: 24,
              examples: [24],
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
          description: 'What is to change.',
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
          200: Type.Object({ count, decisions: Type.Array(decision, { description: 'One for each vendor.' }) }),
          ...keyedErrors,
        },
        detail: {
          tags: ['concurrency'],
          summary: 'Run one cycle of the tuner now',
          description: 'It runs by itself every minute. Takes no body.',
          operationId: 'runTuner',
        },
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
        response: {
          200: Type.Object({ count, entries: Type.Array(tuningEntry, { description: 'The newest first.' }) }),
          ...keyedErrors,
        },
        detail: {
          tags: ['concurrency'],
          summary: 'Changes of targets and why, newest first',
          description: 'By the tuner and by people. Kept for 90 days.',
          operationId: 'listTuningLog',
        },
      },
    )
