import type { Exemption } from '../../../../adapters/scrape'
import type { Rule } from '../rule'
import { compareStreets } from '../street-addresses'

/** Exemptions for the use of land or the kind of owner, which do not require living there. */
const NOT_FOR_HOME =
  /\b(agri\w*|farm\w*|timber|forest\w*|open space|conserv\w*|church|religio\w*|charit\w*|government\w*|county|city|state|federal|municipal\w*|public|school\w*|educat\w*|cemeter\w*|hospital\w*|utilit\w*|pollution|freeport|historic\w*|solar|abatement|tif|enterprise|ag)\b/i
const FOR_HOME = /\b(home ?stead|hs|hx|home ?owner\w*|owner.?occupied|principal residence|pre|primary residence)\b/i

const wordsOf = ({ code = '', description = '' }: Exemption): string => `${code} ${description}`

/** An exemption that requires living there, while the owner's mail goes to another street address. */
export const exemptionElsewhere: Rule = {
  name: 'exemption-elsewhere',
  category: 'exemption',
  suggestedAction: 'Ask whether the owner still lives there; the exemption may have to be removed.',
  check: ({ parcel, scrape, now }) => {
    const { ownerMailingAddress, situsAddress } = parcel
    if (ownerMailingAddress === null || situsAddress === null) return []
    const exemptions = (scrape.exemptions ?? []).filter(
      (exemption) =>
        (FOR_HOME.test(wordsOf(exemption)) || !NOT_FOR_HOME.test(wordsOf(exemption))) &&
        (exemption.year === undefined || exemption.year >= now.getUTCFullYear() - 1),
    )
    if (exemptions.length === 0) return []
    const comparison = compareStreets(situsAddress, ownerMailingAddress)
    if (comparison === 'same' || comparison === 'unknown') return []
    const isHome = exemptions.some((exemption) => FOR_HOME.test(wordsOf(exemption)))
    return [
      {
        // In rural areas many people use a post office box in town.
        severity: comparison === 'post-box' ? 'info' : isHome ? 'medium' : 'low',
        evidence: { exemptions, owner_mailing_address: ownerMailingAddress, situs_address: situsAddress },
      },
    ]
  },
}
