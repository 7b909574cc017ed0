import type { LoadedColumn } from '../../core/parcels/fields'
import type { WorkAttempt } from '../../drizzle/queries/work/claim-work'
import { WorkLost } from '../../drizzle/queries/work/hold-work'
import type { LoadKind } from '../../drizzle/schema/values'

/** A load that one attempt at its work is processing. */
export interface LoadAttempt {
  id: string
  source: string
  kind: LoadKind
  isComplete: boolean
  /** Fields that are emptied if a record has no value. */
  cleared: readonly LoadedColumn[]
  work: WorkAttempt
}

/** For a step that detects that its attempt is no longer the current one. */
export const lostLoad = (): WorkLost => new WorkLost('the load was cancelled, or another process has it')
