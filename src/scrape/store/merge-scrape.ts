import type { Sale, Scrape } from '../../../adapters/scrape'

/**
 * Merges a scrape into the stored one: new fields replace old ones, and fields that the new scrape does not have are kept. Fields that belong
 * together stay together: `data_as_of` with its source, the two validators of one response. `sale_history_observed_at` is when
 * sales were last actually seen. If no sale has a date, stored sales with dates are kept, because the portal has changed how it writes
 * dates. Findings are not merged: the review engine computes them each time.
 */
export const mergeScrape = (before: Partial<Scrape>, scraped: Scrape): Scrape => {
  const brought = withoutUndatedSales(before, scraped)
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

const withoutUndatedSales = (before: Partial<Scrape>, scraped: Scrape): Scrape => {
  const { sale_history: sales, ...others } = scraped
  if (sales === undefined || sales.length === 0 || sales.some(hasDate)) return scraped
  return before.sale_history?.some(hasDate) === true ? others : scraped
}

const hasDate = ({ sold_on }: Sale): boolean => sold_on !== undefined
