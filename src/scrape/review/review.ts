import type { Category, ReviewInput, Rule, Severity } from './rule'
import { acreageAgainstArea } from './rules/acreage-against-area'
import { assessedValueJump } from './rules/assessed-value-jump'
import { exemptionElsewhere } from './rules/exemption-elsewhere'
import { improvementWithoutValue } from './rules/improvement-without-value'
import { missingGeometry } from './rules/missing-geometry'
import { olderData } from './rules/older-data'
import { ownerChanged } from './rules/owner-changed'
import { saleAgainstValue } from './rules/sale-against-value'
import { saleWithoutOwnerChange } from './rules/sale-without-owner-change'
import { selfIntersection } from './rules/self-intersection'
import { staleData } from './rules/stale-data'
import { unpaidStatement } from './rules/unpaid-statement'
import { valueParts } from './rules/value-parts'

export const RULES: readonly Rule[] = [
  ownerChanged,
  assessedValueJump,
  valueParts,
  unpaidStatement,
  exemptionElsewhere,
  saleAgainstValue,
  saleWithoutOwnerChange,
  acreageAgainstArea,
  missingGeometry,
  selfIntersection,
  improvementWithoutValue,
  staleData,
  olderData,
]

/** `rule` and `subject` together identify a finding of a parcel, which keeps its id while it lasts. */
export interface Finding {
  rule: string
  subject: string
  severity: Severity
  category: Category
  evidence: Record<string, unknown>
  suggestedAction: string
}

/** Findings about one parcel, in the order of the rules. Pure: the same input gives the same findings. */
export const review = (input: ReviewInput): Finding[] => {
  const findings = new Map<string, Finding>()
  for (const { name: rule, category, suggestedAction, check } of RULES) {
    for (const { subject = '', severity, evidence } of check(input)) {
      // If a portal lists a bill twice, the first one is the newest.
      const key = JSON.stringify([rule, subject])
      if (!findings.has(key)) findings.set(key, { rule, subject, severity, category, evidence, suggestedAction })
    }
  }
  return [...findings.values()]
}
