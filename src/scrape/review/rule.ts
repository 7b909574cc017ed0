import type { MultiPolygon } from 'geojson'
import type { Scrape } from '../../../adapters/scrape'

export type Severity = 'info' | 'low' | 'medium' | 'high'
export type Category = 'ownership' | 'valuation' | 'tax' | 'exemption' | 'geometry' | 'data-quality'
export type Cadence = 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'annual' | 'tax-statement-window'

/** The input of all rules: the record about to be stored, and the previous one. */
export interface ReviewInput {
  parcel: ReviewedParcel
  /** The scrape, merged with fields that only earlier scrapes had. */
  scrape: Scrape
  /** The state after the last scrape. Null for the first scrape: an ingested file does not count, because its names are written differently. */
  previous: { ownerName: string | null; findings: readonly StandingFinding[] } | null
  /** How current the data of the scrape before this one was. Empty: there was none, or its portal did not say. */
  former: Pick<Partial<Scrape>, 'data_as_of' | 'data_as_of_source'>
  /** The parcel's last changes, newest first, at most 20. Empty: the log has none. */
  changes: readonly LoggedChange[]
  /** Two-letter code of the source's state. */
  state: string
  /** A year or an ISO date; null when the portal does not say. */
  dataAsOf: string | null
  /** From the source's refresh policy. */
  cadence: Cadence
  now: Date
}

/** Fields of the parcel's row. Null: not known. Money is whole dollars, geometry EPSG:4326. */
export interface ReviewedParcel {
  geom: MultiPolygon | null
  acreage: number | null
  ownerName: string | null
  ownerMailingAddress: string | null
  situsAddress: string | null
  landUseClass: string | null
  assessedValue: number | null
  valueLand: number | null
  valueImprovement: number | null
}

/** A row of the change log, with the fields that rules compare. */
export interface LoggedChange {
  /** ISO 8601. */
  at: string
  action: 'created' | 'changed' | 'retired' | 'returned' | 'deleted'
  /** The cause of the change. Null: older than the log. */
  cause: string | null
  /** [former, new]; missing: it did not change. */
  ownerName?: [string | null, string | null]
  assessedValue?: [number | null, number | null]
}

/** A finding of an earlier review that is still stored. `generatedAt` is when it first appeared, ISO 8601. */
export interface StandingFinding {
  rule: string
  subject: string
  severity: Severity
  evidence: Record<string, unknown>
  generatedAt: string
}

/**
 * What a rule found. `evidence` has values under the API's field names, and nothing that changes only because time passes, so that a
 * lasting finding is not rewritten.
 */
export interface Observation {
  severity: Severity
  evidence: Record<string, unknown>
  /** Distinguishes several findings of one rule, for example by tax year. */
  subject?: string
}

/** One check. `check` is pure and returns an empty list when it finds nothing. */
export interface Rule {
  name: string
  category: Category
  suggestedAction: string
  check: (input: ReviewInput) => Observation[]
}
