import type { Cadence } from '../../../drizzle/schema/values'

type Step = { days: number } | { months: number }

const STEPS: Record<Cadence, Step> = {
  daily: { days: 1 },
  weekly: { days: 7 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  annual: { months: 12 },
  'tax-statement-window': { months: 1 },
}

/** Months (0 = January) in which tax statements are published: October to January. */
const STATEMENT_MONTHS = [9, 10, 11, 0]

/**
 * The next due date of a source: the first date of its cadence, counted from `due`, that is after `now`. Missed runs are skipped. The
 * cadence `tax-statement-window` is monthly within the window; outside of it, the next date is October 1. If a month does not have the
 * day of `due`, the date is the month's last day. Later dates are counted from that one: January 31, February 28, March 28. All dates
 * are in UTC.
 */
export const nextDue = (cadence: Cadence, due: Date, now: Date): Date => {
  if (cadence === 'tax-statement-window' && !isInWindow(due)) return nextOctober(due, now)
  // Count each turn from `due`: in one call, a shorter month between two dates does not change the day.
  for (let turn = 1; ; turn++) {
    const next = advance(due, STEPS[cadence], turn)
    if (cadence === 'tax-statement-window' && !isInWindow(next)) return nextOctober(next, now)
    if (next > now) return next
  }
}

const isInWindow = (date: Date): boolean => STATEMENT_MONTHS.includes(date.getUTCMonth())

const advance = (from: Date, step: Step, turns: number): Date => {
  if ('days' in step) return new Date(from.getTime() + turns * step.days * 86_400_000)
  const next = new Date(from)
  next.setUTCDate(1)
  next.setUTCMonth(next.getUTCMonth() + turns * step.months)
  const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate()
  next.setUTCDate(Math.min(from.getUTCDate(), lastDay))
  return next
}

/** October 1 of the year of `from`. If that is not after `now`, the next due date from there. */
const nextOctober = (from: Date, now: Date): Date => {
  const october = new Date(Date.UTC(from.getUTCFullYear(), 9, 1))
  return october > now ? october : nextDue('tax-statement-window', october, now)
}
