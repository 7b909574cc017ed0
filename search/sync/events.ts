import type { DriftCounts } from '../../drizzle/queries/search/search-index-work'
import type { DocumentKind } from '../../drizzle/queries/search/search-outbox'
import type { Difference } from './drift'

export type SyncEvent =
  | { kind: 'leading' | 'following' | 'rebuild_started' | 'rebuild_cancelled' }
  | { kind: 'rebuilt'; documents: number; durationMs: number }
  /** A round failed. All changes stay in the outbox and are sent again. */
  | { kind: 'failed'; error: Error; retryInMs: number }
  /** Meilisearch refuses this document. It is skipped until it changes or until the next drift check. */
  | { kind: 'refused'; document: DocumentKind; id: string; reason: string }
  | ({ kind: 'drift_checked' } & DriftReport)
  | { kind: 'drift_check_failed'; error: Error }

/** The differences between index and database that a check found and added to the outbox. */
export interface DriftReport extends DriftCounts {
  parcels: number
  entities: number
  /** The first differences found. */
  examples: Difference[]
  durationMs: number
}

export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
