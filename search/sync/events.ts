import type { DriftCounts } from '../../drizzle/queries/search/search-index-work'
import type { DocumentKind } from '../../drizzle/queries/search/search-outbox'
import type { Difference } from './drift'

export type SyncEvent =
  | { kind: 'leading' | 'following' | 'rebuild_started' }
  | { kind: 'rebuilt'; documents: number; durationMs: number }
  /** Every change stays in the outbox, and is sent again. */
  | { kind: 'failed'; error: Error; retryInMs: number }
  /** Meilisearch takes anything but this document: it is left out until it changes or the next comparison. */
  | { kind: 'refused'; document: DocumentKind; id: string; reason: string }
  | ({ kind: 'drift_checked' } & DriftReport)
  | { kind: 'drift_check_failed'; error: Error }

/** What a comparison of index and database found, and put up for sending. */
export interface DriftReport extends DriftCounts {
  parcels: number
  entities: number
  /** The first of them. */
  examples: Difference[]
  durationMs: number
}

/** Whatever was thrown, as an event tells it. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
