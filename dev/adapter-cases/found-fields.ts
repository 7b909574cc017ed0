import type { TSchema } from '@sinclair/typebox'
import type { ScrapedParcel } from '../../adapters/adapter'
import { scrape } from '../../adapters/scrape'
import { parcelFields } from '../../core/parcels/fields'

/** Every parcel field that a portal may show. */
const PARCEL_FIELDS = ['geom', ...parcelFields.map(({ key }) => key)]

/** Fields that the service adds itself and that are not on any page. */
const NOT_OF_A_PAGE = new Set(['parcel_number', 'fetched_at', 'sale_history_observed_at', 'review_findings'])

interface ScrapeField {
  name: string
  /** The fields that entries of a list may have. */
  entryFields: string[]
}

const SCRAPE_FIELDS: readonly ScrapeField[] = Object.entries(scrape.properties as Record<string, TSchema>)
  .filter(([name]) => !NOT_OF_A_PAGE.has(name))
  .map(([name, { items }]) => ({ name, entryFields: Object.keys((items as TSchema | undefined)?.properties ?? {}) }))

/** Field names in the order of the contract: `ownerName`, `sale_history`, `sale_history[].price`. An empty list counts as found. */
export const splitFields = ({ fields, scrape }: ScrapedParcel): { found: string[]; absent: string[] } => {
  const names: [name: string, isThere: boolean][] = PARCEL_FIELDS.map((name) => [name, name in fields])
  for (const { name, entryFields } of SCRAPE_FIELDS) {
    const value = scrape[name as keyof typeof scrape]
    names.push([name, value !== undefined])
    if (!Array.isArray(value) || value.length === 0) continue
    for (const field of entryFields) names.push([`${name}[].${field}`, value.some((entry) => field in entry)])
  }
  return {
    found: names.flatMap(([name, isThere]) => (isThere ? [name] : [])),
    absent: names.flatMap(([name, isThere]) => (isThere ? [] : [name])),
  }
}
