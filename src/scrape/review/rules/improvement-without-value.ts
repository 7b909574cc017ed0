import type { Improvement } from '../../../../adapters/scrape'
import { newestValuation } from '../newest'
import type { Rule } from '../rule'

/** Taxed as personal property, demolished, or not a building. */
const NOT_TAXED_HERE = /mobile|manufactured|demolish|razed|removed|fence|paving|driveway|\bwell\b|septic|yard|landscap/i

/** Buildings of this year or last year are valued with the next roll. */
const isOldBuilding = ({ type = '', description = '', year_built, living_area_sq_ft = 0 }: Improvement, year: number) =>
  !NOT_TAXED_HERE.test(`${type} ${description}`) &&
  (year_built === undefined ? living_area_sq_ft > 0 : year_built < year - 1)

/** The parcel has a building, but the value of improvements is zero. */
export const improvementWithoutValue: Rule = {
  name: 'improvement-without-value',
  category: 'valuation',
  suggestedAction:
    'Ask the assessor whether the building is exempt, billed on another parcel, or missing from the roll.',
  check: ({ parcel, scrape, now }) => {
    const { valueImprovement, valueLand } = parcel
    const value = valueImprovement ?? newestValuation(scrape.valuation_history)?.improvement ?? null
    // The portal publishes neither part, so nothing is missing.
    if ((value === null && valueLand === null) || (value ?? 0) > 0) return []
    const buildings = (scrape.improvements ?? []).filter((one) => isOldBuilding(one, now.getUTCFullYear()))
    if (buildings.length === 0) return []
    const isExempt = (scrape.exemptions ?? []).length > 0
    return [
      {
        severity: isExempt ? 'info' : value === null ? 'low' : 'medium',
        evidence: { value_improvement: value, value_land: valueLand, improvements: buildings },
      },
    ]
  },
}
