import type { Sale } from '../../../adapters/scrape'
import { isSameOwner, sharesName } from './owner-names'
import type { Observation, ReviewInput, Rule } from './rule'

const DAY_MS = 86_400_000
/** The next scrape finds no change, so the finding stays this long for people to see it. */
const LASTS_DAYS = 180

const isGrantee = (sale: Sale, owner: string): boolean => sale.grantee !== undefined && isSameOwner(sale.grantee, owner)

const findLasting = ({ previous, now }: ReviewInput, owner: string): Observation[] =>
  (previous?.findings ?? [])
    .filter(({ rule, evidence, generatedAt }) => {
      const ageMs = now.getTime() - Date.parse(generatedAt)
      return rule === 'owner-changed' && ageMs < LASTS_DAYS * DAY_MS && isSameOwner(String(evidence.is), owner)
    })
    .map(({ severity, evidence, subject }) => ({ severity, evidence, subject }))

/** The owner's name differs from the last scrape; differences in spelling do not count. */
export const ownerChanged: Rule = {
  name: 'owner-changed',
  category: 'ownership',
  suggestedAction: 'Compare the names with the latest deed, and correct the billing if needed.',
  check: (input) => {
    const was = input.previous?.ownerName ?? null
    const is = input.parcel.ownerName
    if (was === null || is === null) return []
    if (isSameOwner(was, is)) return findLasting(input, is)
    const sale = input.scrape.sale_history?.find((candidate) => isGrantee(candidate, is))
    if (sale !== undefined) return [{ severity: 'info', evidence: { was, is, sale } }]
    return [{ severity: sharesName(was, is) ? 'low' : 'medium', evidence: { was, is } }]
  },
}
