import type { Finding } from '../review'

/**
 * The source lists the parcel, but its portal does not know it. Then there is no scrape, so this is not a rule: a failed scrape stores
 * the finding (store-failure.ts), and the next successful scrape removes it. If the portal knows nearly none of its parcels, no parcel
 * has it. Retired parcels need no finding, because loads retire them.
 */
export const parcelVanished: Pick<Finding, 'rule' | 'subject' | 'severity' | 'category' | 'suggestedAction'> = {
  rule: 'parcel-vanished',
  subject: '',
  severity: 'medium',
  category: 'data-quality',
  suggestedAction:
    'Ask the county whether the parcel was merged, split or renumbered. If so, load the list of parcels again.',
}
