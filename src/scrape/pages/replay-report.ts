import { randomUUIDv7 } from 'bun'
import type { ReplayedChange } from '../../../drizzle/queries/pages/list-pages'

export interface FieldDifference {
  count: number
  /** The first of these changes. */
  examples: { sourceParcelId: string; former: unknown; new: unknown }[]
}

export interface ReplayReport {
  /** `cause_id` of the changes. */
  id: string
  /** Parcels with stored pages. */
  parcels: number
  /** Page sets that were read without an error. */
  read: number
  /** Page sets that the adapter refused, by code. */
  refused: Map<string, { count: number; example: string }>
  /** Page sets whose bytes are missing or damaged. */
  lost: number
  /** Parcels whose stored scrape is newer than their pages. */
  older: number
  /** Parcels that their source no longer lists. */
  retired: number
  /** Values that were not changed because they are newer than the page. */
  newerValues: number
  created: number
  changed: number
  fields: Map<string, FieldDifference>
}

const MAX_EXAMPLES = 3

export const emptyReport = (): ReplayReport => ({
  id: randomUUIDv7(),
  parcels: 0,
  read: 0,
  lost: 0,
  older: 0,
  retired: 0,
  newerValues: 0,
  created: 0,
  changed: 0,
  refused: new Map(),
  fields: new Map(),
})

/** Counts a page set that the adapter refused, or whose values cannot be stored. */
export const countRefused = (report: ReplayReport, sourceParcelId: string, code: string, message: string): void => {
  const refused = report.refused.get(code) ?? { count: 0, example: `${sourceParcelId}: ${message}` }
  report.refused.set(code, { ...refused, count: refused.count + 1 })
}

/** Counts the changes of a batch. */
export const countChanges = (report: ReplayReport, changes: readonly ReplayedChange[]): void => {
  for (const change of changes) countChange(report, change)
  // Two statements write a parcel's fields and its scrape data, so a parcel can have two changes.
  const changed = changes.filter(({ action }) => action !== 'created').map(({ sourceParcelId }) => sourceParcelId)
  report.changed += new Set(changed).size
}

const countChange = (report: ReplayReport, { sourceParcelId, action, changes }: ReplayedChange): void => {
  if (action === 'created') report.created++
  for (const [name, [former, value]] of Object.entries(changes)) {
    const field = report.fields.get(name) ?? { count: 0, examples: [] }
    field.count++
    if (field.examples.length < MAX_EXAMPLES) field.examples.push({ sourceParcelId, former, new: value })
    report.fields.set(name, field)
  }
}
