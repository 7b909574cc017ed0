import type { Sale } from '../../../../adapters/scrape'
import { findLoggedChange } from '../logged-change'
import { isSameOwner, sharesName } from '../owner-names'
import type { Observation, ReviewInput, Rule } from '../rule'

const DAY_MS = 86_400_000
/** The next scrape finds no change, so the finding stays this long for people to notice it. */
const LASTS_DAYS = 180

const isGrantee = (sale: Sale, owner: string): boolean => sale.grantee !== undefined && isSameOwner(sale.grantee, owner)

const findLasting = ({ previous, now }: ReviewInput, owner: string): Observation[] =>
  (previous?.findings ?? [])
    .filter(({ rule, evidence, generatedAt }) => {
      const ageMs = now.getTime() - Date.parse(generatedAt)
      return rule === 'owner-changed' && ageMs < LASTS_DAYS * DAY_MS && isSameOwner(String(evidence.is), owner)
    })
    .map(({ severity, evidence, subject }) => ({ severity, evidence, subject }))

/** The day on which the owner changed to this one, according to the log. Missing: the log has no such change. */
const findDay = ({ changes }: ReviewInput, owner: string): { changed_on?: string } => {
  const change = changes.find(({ ownerName }) => ownerName !== undefined)
  return change?.ownerName?.[1] === owner ? { changed_on: change.at.slice(0, 10) } : {}
}

/** The former owner, by the last scrape, or by the log if a load or an earlier scrape changed the owner. */
const findFormer = (input: ReviewInput, is: string): string | null => {
  const was = input.previous?.ownerName ?? null
  if (was !== null && !isSameOwner(was, is)) return was
  const logged = findLoggedChange(input, 'ownerName', LASTS_DAYS)
  return logged !== null && logged.is === is && !isSameOwner(logged.was, is) ? logged.was : null
}

/** The owner's name differs from the last scrape or the last load; differences in spelling do not count. */
export const ownerChanged: Rule = {
  name: 'owner-changed',
  category: 'ownership',
  suggestedAction: 'Compare the names with the latest deed, and correct the billing if needed.',
  check: (input) => {
    const is = input.parcel.ownerName
    if (is === null) return []
    const was = findFormer(input, is)
    if (was === null) return findLasting(input, is)
    const evidence = { was, is, ...findDay(input, is) }
    const sale = input.scrape.sale_history?.find((candidate) => isGrantee(candidate, is))
    if (sale !== undefined) return [{ severity: 'info', evidence: { ...evidence, sale } }]
    return [{ severity: sharesName(was, is) ? 'low' : 'medium', evidence }]
  },
}
