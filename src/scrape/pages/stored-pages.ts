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
import { compressPageSet } from './page-set'
import type { PageStore } from './page-store'

/** The pages in the store and their rows. */
export interface StoredPages {
  /** Stores pages, and sweeps if the store is too large then. A page that cannot be stored is dropped. */
  add: (batch: readonly (PageToStore | ConfirmedPage)[]) => Promise<void>
  /** Removes expired pages, and the oldest ones if all of them together exceed the limit. */
  sweep: () => Promise<void>
}

export interface PageToStore {
  row: PageRow
  bytes: Uint8Array<ArrayBuffer>
}

/** A parcel whose last page is unchanged. */
export interface ConfirmedPage {
  confirmed: { source: string; sourceParcelId: string; at: string }
}

export type DropReason = 'too_large' | 'queue_full' | 'store_failed'

export interface StoredPagesOptions {
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
/** Few enough to be removed within `UNFINISHED_MINUTES` even if each call takes as long as it may. */
const MAX_REMOVED_TOGETHER = 200
/** A bucket handles some requests in parallel; for a folder, more would not help. */
const MAX_STORE_CALLS = 8

/** Several processes share one limit of size. Each knows the size at its last sweep and what it stored since then. */
export const createStoredPages = ({
  sql,
  store,
  maxBytes,
  onStored = () => {},
  onDropped = () => {},
  onRemoved = () => {},
  onError = () => {},
}: StoredPagesOptions): StoredPages => {
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

  const add = async (batch: readonly (PageToStore | ConfirmedPage)[]): Promise<void> => {
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

  return { add, sweep }
}

const keyOf = ({ source, sourceParcelId, hash }: PageKey): string => JSON.stringify([source, sourceParcelId, hash])

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
