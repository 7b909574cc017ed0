import type { Scrape } from '../../../adapters/scrape'

/**
 * What is kept of a parcel after a scrape: what the scrape brought, and of the former one what it did not bring. What belongs
 * together stays together: `data_as_of` with its source, the two validators of one answer. `sale_history_observed_at` is when
 * sales were last actually seen. Findings are the review's, made anew each time.
 */
export const mergeScrape = (before: Partial<Scrape>, brought: Scrape): Scrape => {
  const merged: Scrape = { ...before, ...brought }
  if (brought.data_as_of !== undefined && brought.data_as_of_source === undefined) delete merged.data_as_of_source
  if (brought.http_etag !== undefined && brought.http_last_modified === undefined) delete merged.http_last_modified
  if (brought.http_last_modified !== undefined && brought.http_etag === undefined) delete merged.http_etag
  if (brought.sale_history !== undefined) {
    merged.sale_history_observed_at = brought.sale_history_observed_at ?? brought.fetched_at
  } else if (before.sale_history_observed_at !== undefined) {
    merged.sale_history_observed_at = before.sale_history_observed_at
  }
  if (brought.review_findings === undefined) delete merged.review_findings
  return merged
}
