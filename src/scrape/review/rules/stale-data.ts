import type { Cadence, Rule } from '../rule'

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

/** The refresh interval. A bare year is only accurate to a year, so the interval is at least that. */
const cadenceMs = (dataAsOf: string, cadence: Cadence): number =>
  DAY_MS * (dataAsOf.length === 4 ? Math.max(CADENCE_DAYS[cadence], CADENCE_DAYS.annual) : CADENCE_DAYS[cadence])

/** Whether data is older than two cadences of its source. An invalid date is never old. */
export const isStale = (dataAsOf: string, cadence: Cadence, now: Date): boolean =>
  now.getTime() - endOf(dataAsOf) > 2 * cadenceMs(dataAsOf, cadence)

/** The portal's data is older than two cadences of its source. */
export const staleData: Rule = {
  name: 'stale-data',
  category: 'data-quality',
  suggestedAction: 'Check whether the portal is still maintained and whether the cadence fits it.',
  check: ({ dataAsOf, cadence, now }) => {
    if (dataAsOf === null || !isStale(dataAsOf, cadence, now)) return []
    const isVeryOld = now.getTime() - endOf(dataAsOf) > 4 * cadenceMs(dataAsOf, cadence)
    return [{ severity: isVeryOld ? 'medium' : 'low', evidence: { data_as_of: dataAsOf, cadence } }]
  },
}
