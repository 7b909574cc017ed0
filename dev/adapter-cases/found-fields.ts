import type { TSchema } from '@sinclair/typebox'
import type { ScrapedParcel } from '../../adapters/adapter'
import { scrape } from '../../adapters/scrape'
import { parcelFields } from '../../core/parcel-fields'

/** Every field of a parcel that a portal may show. */
const PARCEL_FIELDS = ['geom', ...parcelFields.map(({ key }) => key)]

/** What the service adds by itself, and what no page is asked for. */
const NOT_OF_A_PAGE = new Set(['parcel_number', 'fetched_at', 'sale_history_observed_at', 'review_findings'])

interface ScrapeField {
  name: string
  /** Of a list: the fields that its entries may have. */
  entryFields: string[]
}

const SCRAPE_FIELDS: readonly ScrapeField[] = Object.entries(scrape.properties as Record<string, TSchema>)
  .filter(([name]) => !NOT_OF_A_PAGE.has(name))
  .map(([name, { items }]) => ({ name, entryFields: Object.keys((items as TSchema | undefined)?.properties ?? {}) }))

/** By name, in the order of the contract: `ownerName`, `sale_history`, `sale_history[].price`. An empty list is found. */
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
