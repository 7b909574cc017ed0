import type { Scrape } from '../../../adapters/scrape'
import { parcelFields } from '../../../core/parcels/fields'
import type { NewerValues } from '../../../drizzle/queries/pages/list-pages'
import type { CheckedScrape } from '../store/write-scrapes'
import type { ReplayReport } from './replay-report'

/** The times of a page and of its scrape are from two clocks, which may differ by this much. */
const SAME_TIME_MS = 60_000

/** The names of fields in the change log, by their names in code. */
const NAME_OF = new Map<string, string>(parcelFields.map(({ key, name }) => [key, name]))

/**
 * Removes the values that changed after the page was fetched: by a load, a later scrape or an undo. Counts what it removes in the report.
 * Null: nothing from the page may be stored.
 */
export const withoutNewerValues = (
  { parcel, scrape, ...checked }: CheckedScrape,
  { stored, newer, report }: { stored: Partial<Scrape>; newer: NewerValues | undefined; report: ReplayReport },
): CheckedScrape | null => {
  if (newer?.isRetired) {
    report.retired++
    return null
  }
  const pageAt = checked.kept?.fetchedAt ?? scrape.fetched_at
  const scrapedAt = stored.fetched_at ?? pageAt
  if (newer?.fields.includes('') || Date.parse(scrapedAt) > Date.parse(pageAt) + SAME_TIME_MS) {
    report.older++
    return null
  }
  const names = new Set(newer?.fields ?? [])
  for (const field of parcelFields) {
    // A list without a value defaults to the text of another field.
    if (field.type !== 'list') continue
    if (names.has(field.name) || names.has(field.defaultFrom)) names.add(field.name).add(field.defaultFrom)
  }
  const isNewer = (name: string, value: unknown): boolean => {
    const isLeft = names.has(name) && value !== undefined && value !== null
    if (isLeft) report.newerValues++
    return isLeft
  }
  const keptFields = Object.fromEntries(
    Object.entries(parcel).filter(([key, value]) => !isNewer(NAME_OF.get(key) ?? key, value)),
  ) as CheckedScrape['parcel']
  if (!('geom' in keptFields)) delete keptFields.bbox
  const keptData = Object.fromEntries(
    Object.entries(scrape).filter(([name, value]) => !isNewer(`scrape_data.${name}`, value)),
  ) as Scrape
  if (keptData.data_as_of === undefined) delete keptData.data_as_of_source
  // A later 304 may have moved the time of the scrape.
  if (scrapedAt > scrape.fetched_at) keptData.fetched_at = scrapedAt
  return { ...checked, parcel: keptFields, scrape: keptData }
}
