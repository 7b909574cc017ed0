import type { ScrapeOverrides } from '../../../adapters/adapter'
import { PAGE_SET_BOUNDS, toMessage } from '../../../core/bounds'
import { waitAtMost } from '../../../core/concurrency/wait-at-most'
import { version } from '../../../package.json' with { type: 'json' }
import { encodePageSet, type PageSet } from './page-set'
import { type ConfirmedPage, createStoredPages, type PageToStore, type StoredPagesOptions } from './stored-pages'

/** An accepted page set. The change log refers to it. */
export interface KeptPage {
  hash: string
  /** When the last of its responses arrived. ISO 8601. */
  fetchedAt: string
}

export interface PageSetToKeep extends PageSet {
  adapter: string
  answeredAt: string[]
  overrides: ScrapeOverrides
  /** Null: the scrape succeeded. */
  failure: { code: string; message: string } | null
}

/** Stores the pages of scrapes. No method throws, and none waits for the store. */
export interface PageKeeper {
  /** Null: the page set is empty or too large, or too many are waiting. */
  keep: (set: PageSetToKeep) => KeptPage | null
  /** Records that the portal said the parcel's last page is unchanged. */
  confirm: (parcel: { source: string; sourceParcelId: string }) => void
  /** Resolves when no page waits to be stored. */
  settle: () => Promise<void>
  /** Stores the waiting pages, for a few seconds at most. */
  stop: () => Promise<void>
}

const MAX_BATCH = 50
const SWEEP_EVERY_MS = 60_000
const STOP_LIMIT_MS = 5_000

type Waiting = PageToStore | ConfirmedPage

/** Opens a keeper. It stores pages in the background, a batch at a time. */
export const createPageKeeper = (options: StoredPagesOptions): PageKeeper => {
  const { onDropped = () => {}, onError = () => {} } = options
  const pages = createStoredPages(options)
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let working: Promise<void> | null = null
  let isStopped = false

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      try {
        await pages.add(batch)
      } catch (error) {
        onError(error)
        onDropped('store_failed', batch.length)
      }
      for (const one of batch) waitingBytes -= sizeOf(one)
    }
    working = null
  }

  const add = (one: Waiting): boolean => {
    const { waiting: mostWaiting, waitingBytes: mostBytes } = PAGE_SET_BOUNDS
    if (isStopped || waiting.length >= mostWaiting || waitingBytes + sizeOf(one) > mostBytes) return false
    waiting.push(one)
    waitingBytes += sizeOf(one)
    working ??= work()
    return true
  }

  const timer = setInterval(() => {
    working ??= pages.sweep().catch(onError).then(work)
  }, SWEEP_EVERY_MS)
  timer.unref()

  return {
    keep: ({ source, sourceParcelId, answers, answeredAt, adapter, overrides, failure }) => {
      try {
        const fetchedAt = answeredAt.toSorted().at(-1)
        if (fetchedAt === undefined) return null
        const encoded = encodePageSet({ source, sourceParcelId, answers })
        if (encoded === null) {
          onDropped('too_large', 1)
          return null
        }
        const { hash, bytes } = encoded
        const outcome = failure?.code ?? 'done'
        const message = failure && toMessage(failure.message)
        const row = { source, sourceParcelId, hash, adapter, version, outcome, message, answeredAt, fetchedAt }
        if (add({ row: { ...row, overrides: { ...overrides } }, bytes })) return { hash, fetchedAt }
        onDropped('queue_full', 1)
      } catch (error) {
        onError(error)
      }
      return null
    },
    confirm: ({ source, sourceParcelId }) =>
      void add({ confirmed: { source, sourceParcelId, at: new Date().toISOString() } }),
    settle: async () => {
      while (working !== null) await working
    },
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      if (working !== null) await waitAtMost(STOP_LIMIT_MS, working)
      waiting = []
    },
  }
}

const sizeOf = (one: Waiting): number => ('bytes' in one ? one.bytes.byteLength : 0)
