import { Type } from '@sinclair/typebox'
import { CONCURRENCY_MODES } from '../../../../drizzle/schema/vendor-concurrency'
import { at, atOrNull, closed, countOf, idOf, oneOf, textOf, textOrNull, vendorName, WHO } from '../../schemas'

const MOST_CONCURRENCY = 1_000
const LONGEST_THRESHOLD_MS = 600_000
const LONGEST_WINDOW_MINUTES = 1_440
export const LONGEST_HISTORY_HOURS = 168
const RAISED = 'all well (840 done, p50 510 ms, p95 760 ms): up'

export const concurrency = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: MOST_CONCURRENCY, description, examples: [example] })
export const mode = oneOf(CONCURRENCY_MODES, {
  examples: ['auto'],
  description: '`auto`: the tuner moves the target. `manual`: it stays where it was set.',
})
const thresholdMs = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: LONGEST_THRESHOLD_MS, description, examples: [example] })

export const settings = {
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
export const vendor = Type.Object(
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

export const target = (description: string, example: number) =>
  Type.Integer({ minimum: 1, description, examples: [example] })
export const previousTarget = target('Scrapes at once before.', 8)
export const newTarget = target('Scrapes at once from then on.', 4)
const signals = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'What led to it.',
    examples: [{ done: 212, throttled: 9, p50_ms: 640, p95_ms: 1_210 }],
  },
)
const reason = textOf('Why, in words.', 'refused (212 done, 9 throttled, p50 640 ms, p95 1210 ms): halved')

export const tuningEntry = Type.Object(
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

export const decision = Type.Object(
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

export const history = Type.Object(
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
