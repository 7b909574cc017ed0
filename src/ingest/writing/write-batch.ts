import { writeUnlessRefused } from '../../../core/postgres/refused-data'
import type { UpsertCounts } from '../../../drizzle/records'
import type { Placed } from './batches'
import { type WaitOptions, whileAvailable } from './while-available'

export interface WriteOptions<Item> extends WaitOptions {
  upsert: (items: Item[]) => Promise<UpsertCounts>
  onWritten: (counts: UpsertCounts) => void
  /** Called for each record that the database refuses. */
  onRefused: (placed: Placed<Item>, reason: string) => void
}

/**
 * Writes one batch as one statement, so that only whole batches are stored.
 *
 * @throws ServiceError `server_unavailable` when the database is down or busy for longer than `retryForMs`.
 */
export const writeBatch = <Item>(batch: readonly Placed<Item>[], options: WriteOptions<Item>): Promise<void> =>
  writeUnlessRefused(
    batch,
    async (part) =>
      options.onWritten(await whileAvailable(() => options.upsert(part.map(({ item }) => item)), options)),
    options.onRefused,
  )
