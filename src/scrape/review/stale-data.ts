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

/** The last moment of a year or a date. */
const endOf = (dataAsOf: string): number =>
  Date.parse(`${dataAsOf.length === 4 ? `${dataAsOf}-12-31` : dataAsOf}T00:00:00Z`) + DAY_MS

/** The portal's data is older than two cadences of its source. A bare year is only accurate to a year. */
export const staleData: Rule = {
  name: 'stale-data',
  category: 'data-quality',
  suggestedAction: 'Check whether the portal is still maintained and whether the cadence fits it.',
  check: ({ dataAsOf, cadence, now }) => {
    if (dataAsOf === null) return []
    const days = dataAsOf.length === 4 ? Math.max(CADENCE_DAYS[cadence], CADENCE_DAYS.annual) : CADENCE_DAYS[cadence]
    const ageMs = now.getTime() - endOf(dataAsOf)
    // An invalid date gives NaN, which is never old.
    if (!(ageMs > 2 * days * DAY_MS)) return []
    return [{ severity: ageMs > 4 * days * DAY_MS ? 'medium' : 'low', evidence: { data_as_of: dataAsOf, cadence } }]
  },
}
