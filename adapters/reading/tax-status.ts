import type { Statement } from '../scrape'

/** Of a statement whose amounts are known; undefined when they do not say. `delinquent` is for portals to say. */
export const taxStatus = ({ paid, due }: Pick<Statement, 'paid' | 'due'>): Statement['status'] => {
  if (paid === undefined || due === undefined || paid < 0 || due < 0) return undefined
  if (due === 0) return paid > 0 ? 'paid' : undefined
  return paid > 0 ? 'partial' : 'unpaid'
}
