import type { Cadence, Rule } from './rule'

const DAY_MS = 86_400_000
const CADENCE_DAYS: Readonly<Record<Cadence, number>> = {
  daily: 1,
  weekly: 7,
  monthly: 31,
  quarterly: 92,
  annual: 366,
  'tax-statement-window': 366,
}

/** The last moment that a year or a date can mean. */
const endOf = (dataAsOf: string): number =>
  Date.parse(`${dataAsOf.length === 4 ? `${dataAsOf}-12-31` : dataAsOf}T00:00:00Z`) + DAY_MS

/** What the portal shows is older than two of its source's cadences. A bare year can be no finer than a year. */
export const staleData: Rule = {
  name: 'stale-data',
  category: 'data-quality',
  suggestedAction: 'Look whether the portal is still kept up, and whether the cadence suits it.',
  check: ({ dataAsOf, cadence, now }) => {
    if (dataAsOf === null) return []
    const days = dataAsOf.length === 4 ? Math.max(CADENCE_DAYS[cadence], CADENCE_DAYS.annual) : CADENCE_DAYS[cadence]
    const ageMs = now.getTime() - endOf(dataAsOf)
    // A date that is none gives NaN, and is never old.
    if (!(ageMs > 2 * days * DAY_MS)) return []
    return [{ severity: ageMs > 4 * days * DAY_MS ? 'medium' : 'low', evidence: { data_as_of: dataAsOf, cadence } }]
  },
}
