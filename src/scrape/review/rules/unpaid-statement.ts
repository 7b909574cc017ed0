import type { Statement } from '../../../../adapters/scrape'
import type { Observation, Rule } from '../rule'

/**
 * Bills of a tax year are due up to a year and a half after it began, in some states later. Until then, a missing payment is not a
 * debt.
 */
const YEARS_TO_PAY = 2

const judge = ({ status, due, due_on, tax_year }: Statement, now: Date): Observation['severity'] | null => {
  if (due === 0 || status === 'paid' || (status === undefined && (due ?? 0) <= 0)) return null
  if (status === 'delinquent') return 'high'
  const isOverdue =
    due_on === undefined ? now.getUTCFullYear() - tax_year >= YEARS_TO_PAY : due_on < now.toISOString().slice(0, 10)
  if (!isOverdue) return null
  // The unpaid rest may be the next installment.
  return status === 'partial' ? 'low' : 'medium'
}

/** A tax bill is delinquent, or was not paid on time. Bills that are not yet due are not findings. */
export const unpaidStatement: Rule = {
  name: 'unpaid-statement',
  category: 'tax',
  suggestedAction: 'Ask the treasurer for the amount with interest, and whether a tax sale is set.',
  check: ({ scrape, now }) =>
    (scrape.statements ?? []).flatMap((statement) => {
      const severity = judge(statement, now)
      if (severity === null) return []
      const subject = [statement.tax_year, statement.bill_number].filter((part) => part !== undefined).join(' ')
      return [{ subject, severity, evidence: { ...statement } }]
    }),
}
