import type { MultiPolygon } from 'geojson'
import type { Scrape } from '../../../adapters/scrape'

export type Severity = 'info' | 'low' | 'medium' | 'high'
export type Category = 'ownership' | 'valuation' | 'tax' | 'exemption' | 'geometry' | 'data-quality'
export type Cadence = 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'annual' | 'tax-statement-window'

/** Everything that rules look at: the record as it is about to be stored, and what was stored before. */
export interface ReviewInput {
  parcel: ReviewedParcel
  /** With what earlier scrapes brought and this one did not. */
  scrape: Scrape
  /** What the last scrape left. Null with the first one: an ingested file is no earlier scrape, its names are written otherwise. */
  previous: { ownerName: string | null; findings: readonly StandingFinding[] } | null
  /** Two-letter code of the source's state. */
  state: string
  /** A year or an ISO date; null when the portal does not tell. */
  dataAsOf: string | null
  /** Of the source's refresh policy. */
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

/** A finding of an earlier review that is still on record. `generatedAt` is when it first appeared, ISO 8601. */
export interface StandingFinding {
  rule: string
  subject: string
  severity: Severity
  evidence: Record<string, unknown>
  generatedAt: string
}

/**
 * What a rule saw. `evidence` holds values, in the API's field names, and nothing that changes merely because a day went by: a
 * finding that lasts is not rewritten.
 */
export interface Observation {
  severity: Severity
  evidence: Record<string, unknown>
  /** Tells several of one rule apart, for example a tax year. */
  subject?: string
}

/** One thing to look for. `check` is pure; nothing seen is an empty list. */
export interface Rule {
  name: string
  category: Category
  suggestedAction: string
  check: (input: ReviewInput) => Observation[]
}
