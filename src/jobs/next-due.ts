import type { Cadence } from '../../drizzle/schema/source-refresh-policies'

type Step = { days: number } | { months: number }

const STEPS: Record<Cadence, Step> = {
  daily: { days: 1 },
  weekly: { days: 7 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  annual: { months: 12 },
  'tax-statement-window': { months: 1 },
}

/** Months, from 0, in which tax statements come out: October to January. */
const STATEMENT_MONTHS = [9, 10, 11, 0]

/**
 * When a source is due after `due`: the first moment of its rhythm that lies after `now`, so that runs that were missed are
 * not made up for. Within the window of tax statements monthly, outside of it on the next 1 October. In UTC.
 */
export const nextDue = (cadence: Cadence, due: Date, now: Date): Date => {
  // Counted from the first due date each time: a run of the 31st comes back to the 31st after a shorter month.
  for (let turn = 1; ; turn++) {
    const next = advance(due, STEPS[cadence], turn)
    if (cadence === 'tax-statement-window' && !STATEMENT_MONTHS.includes(next.getUTCMonth()))
      return nextOctober(next, now)
    if (next > now) return next
  }
}

const advance = (from: Date, step: Step, turns: number): Date => {
  if ('days' in step) return new Date(from.getTime() + turns * step.days * 86_400_000)
  const next = new Date(from)
  next.setUTCDate(1)
  next.setUTCMonth(next.getUTCMonth() + turns * step.months)
  const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate()
  next.setUTCDate(Math.min(from.getUTCDate(), lastDay))
  return next
}

/** The 1 October that follows `from`, or, that one past as well, what follows from it. */
const nextOctober = (from: Date, now: Date): Date => {
  const october = new Date(Date.UTC(from.getUTCFullYear(), 9, 1))
  return october > now ? october : nextDue('tax-statement-window', october, now)
}
