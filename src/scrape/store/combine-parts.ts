import type { MultiPolygon, Position } from 'geojson'
import type { Scrape, Valuation } from '../../../adapters/scrape'
import { toMultiPolygon } from '../../ingest/boundaries/geometry'
import type { CheckedScrape } from './write-scrapes'

/**
 * Combines a parcel whose records are on several pages of a crawl, as if they had been on one page. The newest year describes the
 * parcel, and within a year the first record; boundaries of a year are merged; histories are merged. `earlier` is the part of the
 * parcel that this crawl has already stored.
 *
 * @throws RowFault when the boundaries cannot be merged
 */
export const combineParts = (
  { geom, scrapeData }: { geom: MultiPolygon | null; scrapeData: Partial<Scrape> },
  { parcel, scrape, ...brought }: CheckedScrape,
): CheckedScrape => {
  // Findings belong to the earlier state of the parcel.
  const { review_findings: _, ...earlier } = scrapeData
  const histories = mergeHistories(earlier, scrape)
  const [before, now] = [latestYear(earlier), latestYear(scrape)]
  if (now > before) return { ...brought, parcel, scrape: { ...scrape, ...histories } }
  const geometry = before === now ? toMultiPolygon(mergePolygons(geom, parcel.geom ?? null)) : null
  return {
    ...brought,
    parcel: { sourceParcelId: parcel.sourceParcelId, geom: geometry?.geom ?? null, bbox: geometry?.bbox ?? null },
    scrape: { ...scrape, ...earlier, fetched_at: scrape.fetched_at, ...histories },
  }
}

const latestYear = ({ valuation_history = [] }: Partial<Scrape>): number =>
  Math.max(0, ...valuation_history.map(({ year }) => year))

const mergeHistories = (
  earlier: Partial<Scrape>,
  part: Scrape,
): Pick<Partial<Scrape>, 'valuation_history' | 'sale_history'> => {
  const united: Pick<Partial<Scrape>, 'valuation_history' | 'sale_history'> = {}
  if (part.valuation_history !== undefined) {
    const byYear = new Map<number, Valuation>()
    for (const valuation of [...(earlier.valuation_history ?? []), ...part.valuation_history]) {
      if (!byYear.has(valuation.year)) byYear.set(valuation.year, valuation)
    }
    united.valuation_history = [...byYear.values()].sort((one, other) => other.year - one.year)
  }
  if (part.sale_history !== undefined) {
    const sales = [...(earlier.sale_history ?? []), ...part.sale_history]
    united.sale_history = [...new Map(sales.map((sale) => [keyOf(sale), sale])).values()].sort((one, other) =>
      (other.sold_on ?? '').localeCompare(one.sold_on ?? ''),
    )
  }
  return united
}

/** A key that ignores the order of object keys, which differs in stored objects. */
const keyOf = (entry: object): string => JSON.stringify(Object.entries(entry).sort())

const mergePolygons = (earlier: MultiPolygon | null, part: MultiPolygon | null): MultiPolygon | null => {
  if (earlier === null || part === null) return part
  // If the layer was reloaded during the crawl, it may send the same polygons again.
  const known = new Set(earlier.coordinates.map((polygon) => JSON.stringify(polygon)))
  const added: Position[][][] = part.coordinates.filter((polygon) => !known.has(JSON.stringify(polygon)))
  return added.length === 0 ? null : { type: 'MultiPolygon', coordinates: [...earlier.coordinates, ...added] }
}
