import { FINDINGS } from '../../../core/bounds'
import type { Finding } from '../review/review'

/**
 * Keeps the first findings of a parcel, up to the maximum number and size. Lists in the evidence keep only their first entries:
 * the scrape data has all of them.
 */
export const boundFindings = (findings: readonly Finding[]): Finding[] => {
  const kept: Finding[] = []
  let bytes = 0
  for (const finding of findings.slice(0, FINDINGS.most)) {
    const evidence = Object.fromEntries(
      Object.entries(finding.evidence).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.slice(0, FINDINGS.entries) : value,
      ]),
    )
    bytes += Buffer.byteLength(JSON.stringify(evidence))
    if (bytes > FINDINGS.bytes) break
    kept.push({ ...finding, evidence })
  }
  return kept
}
