import { type AlertRuleName, ruleOf } from '../../../core/alerts/alert-rules'
import type { Db } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { silenceAlert, storeRule } from '../../../drizzle/queries/alerts/alerts'

/** A silence must end, because an alert that is never sent again is worse than none. */
const MAX_SILENCE_DAYS = 90
const DAY_MS = 86_400_000

/**
 * Silences the subject of an alert until a time. Returns the alert; null if there is none.
 *
 * @throws ServiceError `bad_input` if `until` is not in the future, or too far in the future
 */
export const silence = (
  db: Db,
  id: string,
  { until, reason, actor }: { until: string; reason: string | null; actor: string },
): ReturnType<typeof silenceAlert> => {
  const inMs = Date.parse(until) - Date.now()
  if (inMs <= 0) throw new ServiceError('bad_input', 'until must be in the future')
  if (inMs > MAX_SILENCE_DAYS * DAY_MS) {
    throw new ServiceError('bad_input', `until must be at most ${MAX_SILENCE_DAYS} days from now`)
  }
  return silenceAlert(db, id, { until, reason, actor })
}

/**
 * Changes a rule. A threshold of null resets it to the default. The next judgment, within a minute, applies the change.
 *
 * @throws ServiceError `bad_input`
 */
export const changeRule = async (
  db: Db,
  name: AlertRuleName,
  change: { threshold?: number | null | undefined; active?: boolean | undefined; actor: string },
): Promise<void> => {
  const { threshold } = ruleOf(name)
  if (typeof change.threshold === 'number') {
    if (threshold === null) throw new ServiceError('bad_input', `the rule ${name} has no threshold`)
    const { min, max, unit } = threshold
    if (change.threshold < min || change.threshold > max) {
      throw new ServiceError('bad_input', `threshold must be ${min} to ${max} ${unit}`)
    }
  }
  await storeRule(db, name, change)
}
