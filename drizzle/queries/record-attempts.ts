import type { Db } from '../database'

export interface EndedAttempt {
  jobId: string
  attempt: number
  vendor: string
  /** `done`, or the code of the failure. */
  outcome: string
  durationMs: number
  /** How long the portal asked to be left alone; null when it did not say. */
  retryAfterMs: number | null
}

/** Notes tries that ended just now. Call it in the transaction that ends them, so that each is noted once. */
export const recordAttempts = async (db: Db, attempts: readonly EndedAttempt[]): Promise<void> => {
  await db`
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, retry_after_ms)
    select "jobId", attempt, vendor, outcome, "durationMs", "retryAfterMs"
    from json_to_recordset(${JSON.stringify(attempts)}::text::json) as r (
      "jobId" uuid, attempt int, vendor text, outcome text, "durationMs" int, "retryAfterMs" int
    )`
}
