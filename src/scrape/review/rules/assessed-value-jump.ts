import type { Scrape, Valuation } from '../../../../adapters/scrape'
import { findLoggedChange } from '../logged-change'
import { newestFirst } from '../newest'
import type { Observation, ReviewInput, Rule } from '../rule'

/** For smaller values (rights of way, common areas), rounding alone may be a quarter. */
const MIN_VALUE = 1_000

/** Picks the same field for both years, because an assessed value is not comparable with a market value. */
const pickField = (now: Valuation, before: Valuation): 'assessed' | 'total' | null =>
  (['assessed', 'total'] as const).find((field) => now[field] !== undefined && before[field] !== undefined) ?? null

/** Normal causes of a change in value: a new building, or a sale (states that cap assessments lift the cap at a sale). */
const explains = ({ improvements = [], sale_history = [] }: Scrape, year: number) => {
  const isRecent = (other: number) => other === year || other === year - 1
  const built = improvements.find(({ year_built }) => year_built !== undefined && isRecent(year_built))
  const sold = sale_history.find(({ sold_on }) => sold_on !== undefined && isRecent(Number(sold_on.slice(0, 4))))
  return {
    ...(built === undefined ? {} : { built: built.year_built }),
    ...(sold === undefined ? {} : { sold_on: sold.sold_on }),
  }
}

/** Assessments change once a year. */
const LOG_DAYS = 400

const isJump = (was: number, is: number): boolean =>
  Math.max(is, was) >= MIN_VALUE && was > 0 && Math.abs(is - was) > was * 0.25
const isLarge = (was: number, is: number): boolean => is > was * 2 || is < was / 2
const changePct = (was: number, is: number): number => Math.round((is / was - 1) * 1_000) / 10

/** For portals that do not list the previous year: the last change of the assessed value in the log. */
const compareWithLog = (input: ReviewInput): Observation[] => {
  const change = findLoggedChange(input, 'assessedValue', LOG_DAYS)
  if (change === null || change.is !== input.parcel.assessedValue || !isJump(change.was, change.is)) return []
  const { was, is, on } = change
  const reasons = explains(input.scrape, Number(on.slice(0, 4)))
  return [
    {
      subject: 'log',
      severity: Object.keys(reasons).length > 0 ? 'info' : isLarge(was, is) ? 'medium' : 'low',
      evidence: { field: 'assessed_value', was, is, change_pct: changePct(was, is), changed_on: on, ...reasons },
    },
  ]
}

/** The newest assessed value is more than a quarter above or below the previous one, by the portal's years or by the log. */
export const assessedValueJump: Rule = {
  name: 'assessed-value-jump',
  category: 'valuation',
  suggestedAction: 'Look for new construction, a reappraisal or a mistake in the valuation; an appeal may be possible.',
  check: (input) => {
    const { scrape } = input
    const [now, before] = newestFirst(scrape.valuation_history)
    if (now === undefined || before === undefined || now.year - before.year !== 1) return compareWithLog(input)
    const field = pickField(now, before)
    if (field === null) return compareWithLog(input)
    const [is = 0, was = 0] = [now[field], before[field]]
    if (!isJump(was, is)) return []
    const reasons = explains(scrape, now.year)
    return [
      {
        subject: String(now.year),
        severity: Object.keys(reasons).length > 0 ? 'info' : isLarge(was, is) ? 'medium' : 'low',
        evidence: {
          field,
          year: now.year,
          was,
          is,
          change_pct: changePct(was, is),
          ...reasons,
        },
      },
    ]
  },
}
