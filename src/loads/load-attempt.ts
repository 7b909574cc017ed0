import type { LoadedColumn } from '../../core/parcel-fields'
import type { WorkAttempt } from '../../drizzle/queries/work/claim-work'
import { WorkLost } from '../../drizzle/queries/work/hold-work'
import type { LoadKind } from '../../drizzle/schema/parcels/loads'

/** A load in the hands of one attempt at its work. */
export interface LoadAttempt {
  id: string
  source: string
  kind: LoadKind
  isComplete: boolean
  /** Fields that a record without a value empties. */
  cleared: readonly LoadedColumn[]
  work: WorkAttempt
}

/** For a step that finds out that its attempt is not the current one any more. */
export const lostLoad = (): WorkLost => new WorkLost('the load was cancelled, or another process has it')
