import type { CrawlPage, ScrapedParcel } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import type { Bbox } from '../../../core/geometry/bbox'
import { toMultiPolygon } from '../../ingest/boundaries/geometry'
import { RowFault } from '../../ingest/rows/source-row'
import { boundScrape, checkSourceParcelId } from './bound-scrape'

/**
 * A scrape with its boundary in the form that parcels store, and texts and lists within the bounds. `bbox` is the boundary's box, null
 * when there is none.
 */
export interface SettledScrape extends ScrapedParcel {
  bbox: Bbox | null
}

/** @throws ScrapeError `page_changed` for an invalid boundary, or a text or list that is too long */
export const settleScrape = (sourceParcelId: string, scraped: ScrapedParcel | SettledScrape): SettledScrape => {
  if ('bbox' in scraped) return scraped
  checkSourceParcelId(sourceParcelId)
  const {
    fields: { geom, ...fields },
    scrape,
    ...page
  } = boundScrape(scraped)
  try {
    const geometry = toMultiPolygon(geom)
    return geometry === null
      ? { ...page, fields, scrape, bbox: null }
      : { ...page, scrape, fields: { ...fields, geom: geometry.geom }, bbox: geometry.bbox }
  } catch (error) {
    if (!(error instanceof RowFault)) throw error
    throw new ScrapeError('page_changed', `the boundary of ${sourceParcelId} is invalid: ${error.message}`, {
      cause: error,
    })
  }
}

/** Settles all parcels of a crawl's page; those that fail are added to the rejected ones. */
export const settlePage = (
  page: CrawlPage,
): CrawlPage & { parcels: (SettledScrape & { sourceParcelId: string })[] } => {
  const rejected = [...page.rejected]
  const parcels = page.parcels.flatMap((parcel) => {
    const { sourceParcelId } = parcel
    try {
      return { sourceParcelId, ...settleScrape(sourceParcelId, parcel) }
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      rejected.push({ what: sourceParcelId, reason: error.message, sourceParcelId })
      return []
    }
  })
  return { ...page, parcels, rejected }
}
