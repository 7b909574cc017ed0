/** From worst to best. `inactive`: the scheduler does not refresh it. */
export const SOURCE_STATES = ['failing', 'errors', 'overdue', 'ok', 'inactive'] as const
export type SourceState = (typeof SOURCE_STATES)[number]

/** The figures that decide a source's state. Times are ISO 8601. */
export interface SourceFigures {
  active: boolean
  errors_24h: number
  /** How many of the last scrapes failed. */
  recent_runs: number
  recent_failed: number
  last_error_at: string | null
  last_success_at: string | null
  next_due_at: string
}

/** From these shares of failed scrapes on, a source is in state `errors`, and `failing`. */
const ERRORS_SHARE = 0.1
const FAILING_SHARE = 0.5
/** With fewer scrapes, the share of failures says nothing about a source. */
export const MIN_RUNS = 10
/** A refresh that is this late is overdue. */
const LATE_MS = 86_400_000

/**
 * `inactive`: nothing is scraped by schedule, so errors of manual scrapes say nothing about its state. `failing`: errors in the last day without
 * a later success, or at least half of the last scrapes failed. `errors`: other errors in the last day, or at least a tenth of the last
 * scrapes failed. `overdue`: the refresh is a day late.
 */
export const sourceState = (source: SourceFigures, now = Date.now()): SourceState => {
  const { active, errors_24h, recent_runs, recent_failed, last_error_at, last_success_at, next_due_at } = source
  if (!active) return 'inactive'
  if (errors_24h > 0 && (last_success_at === null || (last_error_at ?? '') > last_success_at)) return 'failing'
  if (recent_runs >= MIN_RUNS && recent_failed >= FAILING_SHARE * recent_runs) return 'failing'
  if (errors_24h > 0 || (recent_failed > 0 && recent_failed >= ERRORS_SHARE * recent_runs)) return 'errors'
  return Date.parse(next_due_at) < now - LATE_MS ? 'overdue' : 'ok'
}
