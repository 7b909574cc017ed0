import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { countNoun } from '../../core/text/count-noun'
import { type ConcurrencySettings, lockSettings, writeSettings } from '../../drizzle/queries/tuner/concurrency'
import { insertTuningEntries } from '../../drizzle/queries/tuner/tuning-log'

/** The wording of each setting in the reason of a tuning log entry. `signals` has the settings by name. */
const WORDS: Record<keyof ConcurrencySettings, (value: string | number) => string> = {
  mode: (mode) => `mode ${mode}`,
  target_concurrency: (target) => `target ${target}`,
  min_concurrency: (target) => `lowest target ${target}`,
  max_concurrency: (target) => `highest target ${target}`,
  slow_threshold_ms: (ms) => `slow above ${ms} ms`,
  fast_threshold_ms: (ms) => `fast below ${ms} ms`,
  step_size: (step) => `step ${step}`,
  signal_window_minutes: (minutes) => `window of ${countNoun(Number(minutes), 'minute')}`,
}

/**
 * Changes the given settings of a vendor, checks the resulting row, and records the actor in the tuning log. Returns the row as JSON
 * text, or null when there is no such vendor.
 *
 * @throws ServiceError `bad_input` naming two values that contradict each other
 */
export const changeConcurrency = (
  sql: Sql,
  vendor: string,
  {
    change,
    actor,
  }: { change: { [Name in keyof ConcurrencySettings]?: ConcurrencySettings[Name] | undefined }; actor: string },
): Promise<string | null> =>
  sql.begin(async (tx) => {
    const before = await lockSettings(tx, vendor)
    if (before === null) return null
    const given = Object.entries(change).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    const settings: ConcurrencySettings = { ...before, ...Object.fromEntries(given) }
    refuseContradictions(settings)
    const body = await writeSettings(tx, vendor, { settings, actor })
    await insertTuningEntries(tx, [
      {
        vendor,
        previousTarget: before.target_concurrency,
        newTarget: settings.target_concurrency,
        reason: `set by ${actor}: ${given.map(([name, value]) => WORDS[name as keyof ConcurrencySettings](value)).join(', ')}`,
        signals: Object.fromEntries(given),
        actor,
      },
    ])
    return body
  })

const refuseContradictions = (settings: ConcurrencySettings): void => {
  const requireAtMost = (low: keyof ConcurrencySettings, high: keyof ConcurrencySettings): void => {
    if (settings[low] > settings[high])
      refuse(`${low} (${settings[low]}) must not be above ${high} (${settings[high]})`)
  }
  requireAtMost('min_concurrency', 'max_concurrency')
  requireAtMost('min_concurrency', 'target_concurrency')
  requireAtMost('target_concurrency', 'max_concurrency')
  const { fast_threshold_ms: fast, slow_threshold_ms: slow } = settings
  if (fast >= slow) refuse(`fast_threshold_ms (${fast}) must be below slow_threshold_ms (${slow})`)
}

const refuse = (problem: string): never => {
  throw new ServiceError('bad_input', problem)
}
