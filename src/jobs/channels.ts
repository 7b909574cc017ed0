/** Told when jobs were queued; the text says nothing. */
export const QUEUED_CHANNEL = 'scrape_jobs_queued'
/** Told the id of a job that was cancelled. */
export const CANCELLED_CHANNEL = 'scrape_jobs_cancelled'
