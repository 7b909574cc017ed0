import type { Sale } from '../../../../adapters/scrape'
import { newestSale } from '../newest'
import { isSameOwner, sharesName } from '../owner-names'
import type { Observation, ReviewInput, Rule } from '../rule'

const DAY_MS = 86_400_000
/** Counties take weeks to change the owner after a sale is recorded. */
const EARLIEST_DAYS = 60
/** An older sale may be followed by transfers that the portal does not list. */
const LATEST_DAYS = 730

const isSameParty = (one: string, other: string): boolean => isSameOwner(one, other) || sharesName(one, other)

/** Whether the log covers the parcel since before the day and has no change of owner since that day. */
const keptOwner = ({ changes }: ReviewInput, day: string): boolean =>
  changes.some(({ at }) => at < day) && !changes.some(({ at, ownerName }) => at >= day && ownerName !== undefined)

const compare = (input: ReviewInput, owner: string, sale: Sale & { sold_on: string }): Observation[] => {
  const { sold_on, price, grantor, grantee } = sale
  const evidence = { owner, sold_on, ...(price === undefined ? {} : { price }) }
  // A sale within a family or to oneself does not change the name.
  if (grantor !== undefined && grantee !== undefined && isSameParty(grantor, grantee)) return []
  if (grantee !== undefined) {
    if (isSameParty(grantee, owner)) return []
    const isStillSeller = grantor !== undefined && isSameParty(grantor, owner)
    return [{ severity: isStillSeller ? 'medium' : 'low', evidence: { ...evidence, grantee } }]
  }
  return keptOwner(input, sold_on) ? [{ severity: 'low', evidence }] : []
}

/** The buyer in the newest recorded sale is not the owner, or the log has no change of owner since the sale. */
export const saleWithoutOwnerChange: Rule = {
  name: 'sale-without-owner-change',
  category: 'ownership',
  suggestedAction: 'Read the deed, and check whether the county has entered the new owner.',
  check: (input) => {
    const sale = newestSale(input.scrape.sale_history)
    const owner = input.parcel.ownerName
    if (sale === undefined || owner === null) return []
    const ageDays = (input.now.getTime() - Date.parse(sale.sold_on)) / DAY_MS
    return ageDays >= EARLIEST_DAYS && ageDays <= LATEST_DAYS ? compare(input, owner, sale) : []
  },
}
