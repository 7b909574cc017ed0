/** From worst to best. `inactive`: the scheduler does not refresh it. */
export const SOURCE_STATES = ['failing', 'errors', 'overdue', 'ok', 'inactive'] as const
export type SourceState = (typeof SOURCE_STATES)[number]

/** The figures of source health that tell a source's state. Times are ISO 8601. */
export interface SourceFigures {
  active: boolean
  errors_24h: number
  last_error_at: string | null
  last_success_at: string | null
  next_due_at: string
}

/** A refresh that is this late is overdue. */
const LATE_MS = 86_400_000

/**
 * `inactive`: nothing is scraped by schedule, so errors of manual scrapes say nothing about its state. `failing`: errors in the last day without
 * a later success. `errors`: other errors. `overdue`: the refresh is a day late.
 */
export const sourceState = (source: SourceFigures, now = Date.now()): SourceState => {
  const { active, errors_24h, last_error_at, last_success_at, next_due_at } = source
  if (!active) return 'inactive'
  if (errors_24h > 0 && (last_success_at === null || (last_error_at ?? '') > last_success_at)) return 'failing'
  if (errors_24h > 0) return 'errors'
  return Date.parse(next_due_at) < now - LATE_MS ? 'overdue' : 'ok'
}
