import { assessesBelowMarket } from '../assessment-practice'
import { newestValuation } from '../newest'
import type { Observation, ReviewInput, Rule } from '../rule'

/** Parts that were rounded separately may differ from the total by this much. */
const roundingOf = (total: number): number => Math.max(100, total * 0.001)

/** A valuation has its own total, so any difference counts. */
const checkValuation = ({ scrape }: ReviewInput): Observation[] | null => {
  const { year, land, improvement, total } = newestValuation(scrape.valuation_history) ?? {}
  if (year === undefined || land === undefined || improvement === undefined || total === undefined) return null
  const difference = total - land - improvement
  if (Math.abs(difference) <= roundingOf(total)) return []
  return [
    { severity: 'medium', evidence: { year, value_land: land, value_improvement: improvement, total, difference } },
  ]
}

/** The parcel's own fields: the parts may be market values, while the assessed value is a fraction of them, or capped. */
const checkParcel = ({ parcel, state }: ReviewInput): Observation[] => {
  const { valueLand, valueImprovement, assessedValue } = parcel
  if (valueLand === null || valueImprovement === null || assessedValue === null) return []
  const difference = assessedValue - valueLand - valueImprovement
  if (Math.abs(difference) <= roundingOf(assessedValue)) return []
  if (difference < 0 && assessesBelowMarket(state)) return []
  const evidence = {
    value_land: valueLand,
    value_improvement: valueImprovement,
    assessed_value: assessedValue,
    difference,
  }
  return [{ severity: difference > 0 ? 'medium' : 'low', evidence }]
}

/** Land and improvement do not add up to the total. */
export const valueParts: Rule = {
  name: 'value-parts',
  category: 'valuation',
  suggestedAction: 'Check for a third part (personal property, minerals, special use) that the portal shows elsewhere.',
  check: (input) => checkValuation(input) ?? checkParcel(input),
}
