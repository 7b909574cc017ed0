import type { Statement } from '../scrape'

/** The status of a statement with known amounts; undefined when the amounts do not show it. Only a portal itself can say `delinquent`. */
export const taxStatus = ({ paid, due }: Pick<Statement, 'paid' | 'due'>): Statement['status'] => {
  if (paid === undefined || due === undefined || paid < 0 || due < 0) return undefined
  if (due === 0) return paid > 0 ? 'paid' : undefined
  return paid > 0 ? 'partial' : 'unpaid'
}
