/**
 * The channels of NOTIFY. A process that listens wakes as soon as it is notified, instead of at its next poll. The payload is empty
 * unless stated. Triggers notify `search_outbox` too. A test compares both names.
 */
export const CHANNELS = {
  /** Scrape jobs were queued. */
  jobsQueued: 'scrape_jobs_queued',
  /** A scrape job was cancelled. The payload is its id. */
  jobCancelled: 'scrape_jobs_cancelled',
  /** A source was counted, retired or restored. */
  coverageChanged: 'coverage_changed',
  /** Changes were written to the change log. Triggers notify it. */
  parcelChanges: 'parcel_changes',
  /** Changes were written to the search outbox. */
  searchOutbox: 'search_outbox',
  /** Another process wants to lead the search sync. */
  searchSyncYield: 'search_sync_yield',
  /** Work was queued. The payload is its kind. */
  workOrdered: 'work_ordered',
} as const
