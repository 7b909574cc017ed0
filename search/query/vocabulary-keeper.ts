import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import { ANYBODY, type Reads } from '../../core/postgres/replicas/reads'
import { listLargeOwners } from '../../drizzle/queries/search/search-owner-members'
import { findChangeNumber, listVocabulary } from '../../drizzle/queries/search/search-vocabulary'
import { buildVocabulary, createVocabulary, type LargeOwner, type Vocabulary, type VocabularyEntry } from './vocabulary'

/** How often to check whether rows have changed. */
const LOOK_EVERY_MS = 5_000
/** The vocabulary is outdated when this share of its rows has changed. */
const OLD_SHARE = 0.01
/**
 * The share of time that reading may take, so that a large database is read rarely. It is twice the share of rows that has changed,
 * within these limits: a county that makes the database a tenth larger is soon known.
 */
const READING_SHARE = { least: 0.02, most: 0.2 }

export interface VocabularyKeeper {
  /** The current vocabulary; empty until the first reading has finished. A call may start the next reading. */
  current: () => Vocabulary
  refresh: () => Promise<void>
}

/** Keeps a vocabulary of the database in memory. Searches trigger a reading in the background when enough rows have changed. */
export const createVocabularyKeeper = (reads: Reads): VocabularyKeeper => {
  let vocabulary = createVocabulary([])
  /** The change number of the last reading, how long it took, and when it ended. */
  let last: { change: number; tookMs: number; endedAt: number } | null = null
  let nextLook = 0
  let reading: Promise<void> | null = null

  const isDue = (change: number): boolean => {
    if (last === null) return true
    const changed = (change - last.change) / last.change
    const share = Math.min(READING_SHARE.most, Math.max(READING_SHARE.least, 2 * changed))
    return changed > OLD_SHARE && performance.now() - last.endedAt >= last.tookMs / share
  }

  const read = async (onlyIfDue: boolean) => {
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    nextLook = startedAt + LOOK_EVERY_MS
    try {
      const change = await reads.run(ANYBODY, findChangeNumber)
      if (onlyIfDue && !isDue(change)) return
      vocabulary = await buildBetweenSearches(
        await reads.run(ANYBODY, listVocabulary),
        await reads.run(ANYBODY, listLargeOwners),
      )
      last = { change, tookMs: elapsed(), endedAt: performance.now() }
    } catch (error) {
      nextLook = Math.max(nextLook, performance.now() + elapsed() / READING_SHARE.least)
      throw error
    }
  }
  const readOnce = (onlyIfDue: boolean): Promise<void> => {
    reading ??= read(onlyIfDue).finally(() => {
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
