import type { Sql } from '../../core/postgres/database'
import { yieldToOthers } from '../../core/yield-to-others'
import { findChangeNumber, listVocabulary } from '../../drizzle/queries/search/search-vocabulary'
import { buildVocabulary, createVocabulary, type Vocabulary, type VocabularyEntry } from './vocabulary'

/** It is looked this often whether rows have changed. */
const LOOK_EVERY_MS = 10_000
/** Reading it may take this share of the time, so that a large database is read seldom. */
const READING_SHARE = 0.02
/** A vocabulary is old when this share of what it was read from has changed since. */
const OLD_SHARE = 0.01

export interface VocabularyKeeper {
  /** What is known at the moment; empty until the first reading has ended. A search that asks may start the next one. */
  current: () => Vocabulary
  refresh: () => Promise<void>
}

/** Keeps a vocabulary of the database in memory: read in the background, by whoever searches, when enough has changed. */
export const createVocabularyKeeper = (sql: Sql): VocabularyKeeper => {
  let vocabulary = createVocabulary([])
  let readAt = -1
  let nextLook = 0
  let reading: Promise<void> | null = null

  const read = async (onlyIfOld: boolean) => {
    const startedAt = Date.now()
    nextLook = startedAt + LOOK_EVERY_MS
    const change = await findChangeNumber(sql)
    if (onlyIfOld && readAt >= 0 && change - readAt <= readAt * OLD_SHARE) return
    vocabulary = await buildBetweenSearches(await listVocabulary(sql))
    readAt = change
    nextLook = Math.max(nextLook, Date.now() + (Date.now() - startedAt) / READING_SHARE)
  }
  const readOnce = (onlyIfOld: boolean): Promise<void> => {
    reading ??= read(onlyIfOld).finally(() => {
      reading = null
    })
    return reading
  }

  return {
    current: () => {
      // Without a vocabulary search still works: what went wrong shows elsewhere, and the next look tries again.
      if (Date.now() >= nextLook) readOnce(true).catch(() => {})
      return vocabulary
    },
    refresh: () => readOnce(false),
  }
}

const buildBetweenSearches = async (sorted: readonly VocabularyEntry[]): Promise<Vocabulary> => {
  const building = buildVocabulary(sorted)
  for (;;) {
    await yieldToOthers()
    const step = building.next()
    if (step.done === true) return step.value
  }
}
