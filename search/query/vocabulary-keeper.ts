import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import { ANYBODY, type Reads } from '../../core/postgres/replicas/reads'
import { listLargeOwners } from '../../drizzle/queries/search/search-owner-members'
import { findChangeNumber, listVocabulary } from '../../drizzle/queries/search/search-vocabulary'
import { buildVocabulary, createVocabulary, type LargeOwner, type Vocabulary, type VocabularyEntry } from './vocabulary'

/** How often to check whether rows have changed. */
const LOOK_EVERY_MS = 10_000
/** The share of time that reading may take, so that a large database is read rarely. */
const READING_SHARE = 0.02
/** The vocabulary is outdated when this share of its rows has changed. */
const OLD_SHARE = 0.01

export interface VocabularyKeeper {
  /** The current vocabulary; empty until the first reading has finished. A call may start the next reading. */
  current: () => Vocabulary
  refresh: () => Promise<void>
}

/** Keeps a vocabulary of the database in memory. Searches trigger a reading in the background when enough rows have changed. */
export const createVocabularyKeeper = (reads: Reads): VocabularyKeeper => {
  let vocabulary = createVocabulary([])
  let readAt = -1
  let nextLook = 0
  let reading: Promise<void> | null = null

  const read = async (onlyIfOld: boolean) => {
    const startedAt = performance.now()
    nextLook = startedAt + LOOK_EVERY_MS
    try {
      const change = await reads.run(ANYBODY, findChangeNumber)
      if (onlyIfOld && readAt >= 0 && change - readAt <= readAt * OLD_SHARE) return
      vocabulary = await buildBetweenSearches(
        await reads.run(ANYBODY, listVocabulary),
        await reads.run(ANYBODY, listLargeOwners),
      )
      readAt = change
    } finally {
      // A failed reading also counts toward the share of time.
      nextLook = Math.max(nextLook, performance.now() + (performance.now() - startedAt) / READING_SHARE)
    }
  }
  const readOnce = (onlyIfOld: boolean): Promise<void> => {
    reading ??= read(onlyIfOld).finally(() => {
      reading = null
    })
    return reading
  }

  return {
    current: () => {
      // Search also works without a vocabulary: the error shows up elsewhere, and the next check retries.
      if (performance.now() >= nextLook) readOnce(true).catch(() => {})
      return vocabulary
    },
    refresh: () => readOnce(false),
  }
}

const buildBetweenSearches = async (
  sorted: readonly VocabularyEntry[],
  owners: readonly LargeOwner[],
): Promise<Vocabulary> => {
  const building = buildVocabulary(sorted, owners)
  for (;;) {
    await yieldToOthers()
    const step = building.next()
    if (step.done === true) return step.value
  }
}
