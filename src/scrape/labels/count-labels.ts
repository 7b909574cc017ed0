import { waitAtMost } from '../../../core/concurrency/wait-at-most'
import type { Sql } from '../../../core/postgres/database'
import { lockLabels, storeLabels } from '../../../drizzle/queries/sources/source-labels'
import { addLabels, MAX_LABELS } from './add-labels'

/** Counts the labels of pages that nothing was read from. No method throws, and none waits for the database. */
export interface LabelCounter {
  /** Notes the unread labels of one scrape. */
  note: (source: string, labels: readonly string[]) => void
  /** Stores the noted labels. */
  flush: () => Promise<void>
  /** Like `flush`, for a few seconds at most. */
  stop: () => Promise<void>
}

const FLUSH_MS = 5_000
const STOP_LIMIT_MS = 5_000
const MAX_NOTED_SOURCES = 2_000

interface Noted {
  scrapes: number
  labels: Map<string, number>
}

/**
 * Opens a counter. It adds up the labels of scrapes in memory, and stores them every few seconds with three statements for all sources
 * together, so that a scrape does not wait for the database. A killed process loses the labels that are not stored yet.
 */
export const createLabelCounter = ({
  sql,
  onError = () => {},
  flushMs = FLUSH_MS,
}: {
  sql: Sql
  onError?: (error: unknown) => void
  flushMs?: number
}): LabelCounter => {
  let noted = new Map<string, Noted>()
  let flushing: Promise<void> | null = null

  const store = async (): Promise<void> => {
    const sources = noted
    noted = new Map()
    const now = new Date().toISOString()
    await sql.begin(async (tx) => {
      const added = (await lockLabels(tx, [...sources.keys()])).flatMap(({ source, ...stored }) => {
        const notedOf = sources.get(source)
        return notedOf === undefined ? [] : [{ source, ...addLabels(stored, notedOf, now) }]
      })
      await storeLabels(tx, added)
    })
  }

  const flush = (): Promise<void> => {
    if (noted.size === 0) return flushing ?? Promise.resolve()
    flushing = (flushing ?? Promise.resolve())
      .then(store)
      .catch(onError)
      .finally(() => {
        flushing = null
      })
    return flushing
  }

  const timer = setInterval(() => {
    if (flushing === null) void flush()
  }, flushMs)
  timer.unref()

  return {
    note: (source, labels) => {
      let ofSource = noted.get(source)
      if (ofSource === undefined) {
        if (noted.size >= MAX_NOTED_SOURCES) return
        ofSource = { scrapes: 0, labels: new Map() }
        noted.set(source, ofSource)
      }
      ofSource.scrapes++
      for (const label of new Set(labels)) {
        const count = ofSource.labels.get(label)
        const isStorable = count !== undefined || (ofSource.labels.size < MAX_LABELS && isText(label))
        if (isStorable) ofSource.labels.set(label, (count ?? 0) + 1)
      }
    },
    flush,
    stop: async () => {
      clearInterval(timer)
      await waitAtMost(STOP_LIMIT_MS, flush())
    },
  }
}

/** PostgreSQL refuses NUL and unpaired surrogates. */
const isText = (label: string): boolean => label.isWellFormed() && !label.includes('\0')
