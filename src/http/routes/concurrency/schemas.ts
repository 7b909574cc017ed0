import { Type } from '@sinclair/typebox'
import { CONCURRENCY_MODES } from '../../../../drizzle/schema/values'
import { COMING_TIME, timeInBody } from '../../convention/parameters/parse-time'
import {
  at,
  atOrNull,
  closed,
  countOf,
  idOf,
  nullable,
  oneOf,
  textOf,
  textOrNull,
  vendorName,
  WHO,
} from '../../schemas'

const MAX_CONCURRENCY = 1_000
const LONGEST_THRESHOLD_MS = 600_000
const LONGEST_WINDOW_MINUTES = 1_440
export const LONGEST_HISTORY_HOURS = 168
const RAISED = 'all well (840 done, p50 510 ms, p95 760 ms): up'

export const concurrency = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: MAX_CONCURRENCY, description, examples: [example] })
export const mode = oneOf(CONCURRENCY_MODES, {
  examples: ['auto'],
  description: '`auto`: the tuner changes the target. `manual`: the target stays as set.',
})
const thresholdMs = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: LONGEST_THRESHOLD_MS, description, examples: [example] })

export const settings = {
  min_concurrency: concurrency('Lowest allowed target.', 1),
  max_concurrency: concurrency('Highest allowed target.', 8),
  target_concurrency: concurrency('Current number of concurrent scrapes.', 4),
  mode,
  slow_threshold_ms: thresholdMs('The tuner lowers the target when p95 is above this.', 8_000),
  fast_threshold_ms: thresholdMs('The tuner may raise the target when p95 is below this.', 2_000),
  step_size: Type.Integer({
    minimum: 1,
    maximum: MAX_CONCURRENCY,
    description: 'Smallest change of the target in one step.',
    examples: [1],
  }),
  signal_window_minutes: Type.Integer({
    minimum: 1,
    maximum: LONGEST_WINDOW_MINUTES,
    description: 'Length of the window that the tuner evaluates. It takes at most one step per window.',
    examples: [10],
  }),
}

const PAUSE_REASON = 'The county asked us to stop until Monday.'
const reasonOfPause = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '\\S',
  takes: 'text of 1 to 500 characters',
  description: 'Why the vendor is paused.',
  examples: [PAUSE_REASON],
})
const pause = Type.Object(
  {
    since: at('When it was paused.'),
    until: atOrNull('When it resumes automatically; null: only when somebody resumes it.'),
    reason: reasonOfPause,
    by: textOf(`Who paused it: ${WHO}.`, 'ops@example.org'),
  },
  { ...closed, component: 'VendorPause', description: 'A pause of a vendor.' },
)
export const pauseBody = Type.Object(
  {
    reason: reasonOfPause,
    until: Type.Optional(
      nullable(
        timeInBody('When to resume automatically. Omitted or null: only when somebody resumes it.', COMING_TIME),
      ),
    ),
  },
  { ...closed, description: 'Why, and until when.', examples: [{ reason: PAUSE_REASON }] },
)

const whoOrTuner = `Who made the change: \`auto\` (the tuner), ${WHO}.`
export const vendor = Type.Object(
  {
    vendor: vendorName,
    ...settings,
    last_signal: textOrNull("Reason for the tuner's last change; null if there was none.", RAISED),
    last_tuned_at: atOrNull("Time of the tuner's last change; null if there was none."),
    updated_at: at('Time of the last change to the row.'),
    updated_by: textOrNull(`${whoOrTuner} Null before the first change.`, 'auto'),
    pause: Type.Union([pause, Type.Null()], {
      description: 'While the vendor is paused, none of its scrapes run, whatever its target is. Null: not paused.',
    }),
  },
  { ...closed, component: 'VendorConcurrency', description: 'Concurrency settings of a vendor.' },
)

export const target = (description: string, example: number) =>
  Type.Integer({ minimum: 1, description, examples: [example] })
export const previousTarget = target('Target before the change.', 8)
export const newTarget = target('Target after the change.', 4)
const signals = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'Figures that the decision is based on.',
    examples: [{ done: 212, throttled: 9, p50_ms: 640, p95_ms: 1_210 }],
  },
)
const reason = textOf('Reason in words.', 'refused (212 done, 9 throttled, p50 640 ms, p95 1210 ms): halved')

export const tuningEntry = Type.Object(
  {
    id: idOf('entry'),
    vendor: vendorName,
    previous_target: previousTarget,
    new_target: newTarget,
    reason,
    signals,
    actor: textOf(whoOrTuner, 'auto'),
    created_at: at('Time of the change.'),
  },
  { ...closed, component: 'TuningEntry', description: "A change to a vendor's settings." },
)

export const decision = Type.Object(
  {
    vendor: vendorName,
    mode,
    previous_target: previousTarget,
    new_target: newTarget,
    changed: Type.Boolean({
      description: 'Whether the tuner changed the target. Changes are also in the tuning log.',
      examples: [true],
    }),
    reason,
    signals,
  },
  { ...closed, component: 'TunerDecision', description: "The tuner's decision for a vendor." },
)

export const history = Type.Object(
  {
    vendor: vendorName,
    points: Type.Array(
      Type.Object(
        {
          at: at('Start of the five-minute interval.'),
          target: target('Target at the end of the interval.', 4),
          p95_seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
            description: '95th percentile of the duration of successful scrapes; null if there were none.',
            examples: [1.21],
          }),
          errors: countOf('Failed attempts. An unknown parcel does not count as a failure.', 3),
          finished: countOf('Finished attempts, including failed ones.', 212),
        },
        { ...closed, component: 'VendorHistoryPoint', description: 'Five minutes of scrapes of a vendor.' },
      ),
      { description: 'Oldest first.' },
    ),
    changes: Type.Array(
      Type.Object(
        {
          at: at('Time of the change.'),
          previous_target: previousTarget,
          new_target: newTarget,
          reason,
          actor: textOf(whoOrTuner, 'auto'),
        },
        { ...closed, component: 'TargetChange', description: 'A change to the target.' },
      ),
      { description: 'Changes to the target from the tuning log, oldest first.' },
    ),
  },
  { ...closed, component: 'VendorHistory', description: "History of a vendor's scrapes and target." },
)
