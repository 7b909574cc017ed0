import { ServiceError } from '../../../core/service-error'
import { countNoun, formatCount } from '../../../core/text/count-noun'
import type { Counts } from './summary'

/** The error of a load that failed. `stays`: the load whose records stay, because they were written directly. */
export const describeAbandoned = (error: unknown, inserted: number, stays: string | null): unknown => {
  // The last batches may be stored although their responses were lost.
  const isLost = error instanceof ServiceError && error.code === 'server_unavailable'
  if (stays === null || (inserted === 0 && !isLost)) return error
  const atLeast = `${isLost ? 'at least ' : ''}${countNoun(inserted, 'parcel is', 'parcels are')} stored`
  return addToMessage(
    error,
    `The source had no parcels, so the rows before were written directly, and ${inserted === 0 ? 'some may be stored' : atLeast}. Load the whole file to complete them, or take them back: bun run loads undo ${stays}`,
  )
}

/** The error of a file that is damaged, and loaded up to the damage. */
export const describeDamaged = (error: unknown, { read, inserted, updated, unchanged, rejected }: Counts): unknown =>
  addToMessage(
    error,
    `The file is loaded up to there: ${countNoun(read, 'row')}, ${formatCount(inserted)} inserted, ${formatCount(updated)} updated, ${formatCount(unchanged)} unchanged, ${formatCount(rejected)} rejected. Load the whole file to complete it`,
  )

/** The same error with another sentence added to its message. The original error is the cause. */
const addToMessage = (error: unknown, sentence: string): unknown =>
  error instanceof ServiceError
    ? new ServiceError(error.code, `${error.message}. ${sentence}`, { cause: error })
    : error
