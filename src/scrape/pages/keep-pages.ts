import type { ScrapeOverrides } from '../../../adapters/adapter'
import { PAGE_SET_BOUNDS, toMessage } from '../../../core/bounds'
import { waitAtMost } from '../../../core/concurrency/wait-at-most'
import type { Sql, Transaction } from '../../../core/postgres/database'
import {
  announcePages,
  confirmPages,
  countKeptPages,
  deletePages,
  finishPages,
  type MarkedPage,
  markExpiredPages,
  markFormerPages,
  markOldestPages,
  type PageKey,
  type PageRow,
  takeSweepLock,
} from '../../../drizzle/queries/pages/store-pages'
import { version } from '../../../package.json' with { type: 'json' }
import { compressPageSet, encodePageSet, type PageSet } from './page-set'
import type { PageStore } from './page-store'

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

export type DropReason = 'too_large' | 'queue_full' | 'store_failed'

export interface PageKeeperOptions {
  sql: Sql
  store: PageStore
  /** The maximum size of all kept pages. */
  maxBytes: number
  onStored?: (pages: number, bytes: number) => void
  onDropped?: (reason: DropReason, pages: number) => void
  onRemoved?: (pages: number) => void
  onError?: (error: unknown) => void
}

/** How many good pages of each parcel are kept. */
const MAX_GOOD_PAGES = 2
const FAILED_DAYS = 30
const UNFINISHED_MINUTES = 10
const MAX_BATCH = 50
/** Few enough to be removed within `UNFINISHED_MINUTES` even if each call takes as long as it may. */
const MAX_REMOVED_TOGETHER = 200
/** A bucket handles some requests in parallel; for a folder, more would not help. */
const MAX_STORE_CALLS = 8
const SWEEP_EVERY_MS = 60_000
const STOP_LIMIT_MS = 5_000

type Waiting =
  | { row: PageRow; bytes: Uint8Array<ArrayBuffer> }
  | { confirmed: { source: string; sourceParcelId: string; at: string } }

/**
 * Opens a keeper. It stores pages in the background, a batch at a time, and removes the oldest ones when all of them together exceed
 * `maxBytes`. Several processes share one limit. Each knows the size at its last sweep and what it stored since then.
 */
export const createPageKeeper = ({
  sql,
  store,
  maxBytes,
  onStored = () => {},
  onDropped = () => {},
  onRemoved = () => {},
  onError = () => {},
}: PageKeeperOptions): PageKeeper => {
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let working: Promise<void> | null = null
  let isStopped = false
  /** Null: not counted yet. */
  let storedBytes: number | null = null

  /** Removes marked pages. No transaction is open, because the store may be slow. Pages whose removal fails are removed by a later sweep. */
  const remove = async (pages: readonly MarkedPage[]): Promise<void> => {
    if (storedBytes !== null) storedBytes -= sumOf(pages)
    const removed: MarkedPage[] = []
    const failures: unknown[] = []
    await eachOf(pages, async (page) => {
      try {
        await store.remove(page.hash)
        removed.push(page)
      } catch (error) {
        failures.push(error)
      }
    })
    if (removed.length > 0) {
      await deletePages(sql, removed)
      onRemoved(removed.length)
    }
    if (failures.length > 0) onError(failures[0])
  }

  /** Only one process marks pages at a time, because two would remove twice as much as needed. */
  const removeAlone = async (list: (tx: Transaction) => Promise<MarkedPage[]>): Promise<number> => {
    const marked = (await sql.begin(async (tx) => ((await takeSweepLock(tx)) ? list(tx) : []))) as MarkedPage[]
    await remove(marked)
    return marked.length
  }

  const sweep = async (): Promise<void> => {
    const expired = { failedDays: FAILED_DAYS, unfinishedMinutes: UNFINISHED_MINUTES, limit: MAX_REMOVED_TOGETHER }
    while ((await removeAlone((tx) => markExpiredPages(tx, expired))) === MAX_REMOVED_TOGETHER);
    const oldest = { mostBytes: maxBytes, limit: MAX_REMOVED_TOGETHER }
    while ((await removeAlone((tx) => markOldestPages(tx, oldest))) === MAX_REMOVED_TOGETHER);
    storedBytes = (await countKeptPages(sql)).bytes
  }

  const storeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    // The last one with a key counts, because the same responses may have been received twice.
    const sets = new Map(batch.flatMap((one) => ('row' in one ? [[keyOf(one.row), one] as const] : [])))
    const rows = [...sets.values()].map(({ row }) => row)
    if (rows.length > 0) {
      const stored: (PageKey & { sizeBytes: number })[] = []
      const failed: PageKey[] = []
      await eachOf(await announcePages(sql, rows), async (key) => {
        try {
          const set = sets.get(keyOf(key))
          if (set === undefined) return
          const compressed = await compressPageSet(set.bytes)
          await store.put(key.hash, compressed)
          stored.push({ ...key, sizeBytes: compressed.byteLength })
        } catch (error) {
          failed.push(key)
          onError(error)
        }
      })
      if (failed.length > 0) {
        onDropped('store_failed', failed.length)
        await deletePages(sql, failed)
      }
      if (stored.length > 0) {
        await finishPages(sql, stored)
        if (storedBytes !== null) storedBytes += sumOf(stored)
        onStored(stored.length, sumOf(stored))
        await markFormerPages(sql, stored, MAX_GOOD_PAGES).then(remove).catch(onError)
      }
    }
    const confirmed = batch.flatMap((one) => ('confirmed' in one ? one.confirmed : []))
    if (confirmed.length > 0) await confirmPages(sql, confirmed)
    if (storedBytes === null || storedBytes > maxBytes) await sweep()
  }

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      try {
        await storeBatch(batch)
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
    working ??= sweep().catch(onError).then(work)
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

const keyOf = ({ source, sourceParcelId, hash }: PageKey): string => JSON.stringify([source, sourceParcelId, hash])

const sizeOf = (one: Waiting): number => ('bytes' in one ? one.bytes.byteLength : 0)

const sumOf = (pages: readonly { sizeBytes: number }[]): number =>
  pages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** Calls `work` for each item, some at a time. */
const eachOf = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> => {
  const left = items.values()
  await Promise.all(
    Array.from({ length: Math.min(MAX_STORE_CALLS, items.length) }, async () => {
      for (const item of left) await work(item)
    }),
  )
}
