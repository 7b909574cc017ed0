import { writeUnlessRefused } from '../../core/postgres/refused-data'
import { describeTransient, isCollision, isTransient } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import type { UpsertCounts } from '../../drizzle/records'

/** A record to write, with its line. */
export interface Placed<Item> {
  line: number
  item: Item
}

export interface WriteOptions<Item> {
  upsert: (items: Item[]) => Promise<UpsertCounts>
  onWritten: (counts: UpsertCounts) => void
  /** Called for each record that the database refuses. */
  onRefused: (placed: Placed<Item>, reason: string) => void
  onWaiting: (line: string) => void
  /** How long to retry while the database is down or busy. */
  retryForMs: number
}

/** Longest pause between two attempts. */
const MAX_PAUSE_MS = 5_000

/**
 * Runs a step, and runs it again while the database is down or busy.
 *
 * @throws ServiceError `server_unavailable` when that lasts longer than `retryForMs`.
 */
export const whileAvailable = async <Result>(
  step: () => Promise<Result>,
  { onWaiting, retryForMs }: Pick<WriteOptions<never>, 'onWaiting' | 'retryForMs'>,
): Promise<Result> => {
  let awaySince: number | null = null
  for (let attempt = 0; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      if (isCollision(error) && attempt < 10) continue
      if (!isTransient(error)) throw error
      awaySince ??= performance.now()
      const pauseMs = Math.min(100 * 2 ** attempt, MAX_PAUSE_MS) * (0.5 + Math.random() / 2)
      if (performance.now() + pauseMs - awaySince > retryForMs) {
        throw new ServiceError(
          'server_unavailable',
          `${describeTransient(error)}, after ${Math.round(retryForMs / 1000)} s of retries (${(error as Error).message}): run the same command again to complete it`,
          { cause: error },
        )
      }
      if (attempt === 0) onWaiting(`${describeTransient(error)}: waiting for it`)
      await Bun.sleep(pauseMs)
    }
  }
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

/** Runs up to `width` tasks in parallel; `add` waits for a free slot, which slows down a fast reader. */
class TaskWindow {
  readonly #running = new Set<Promise<void>>()
  #failure: { error: unknown } | null = null

  constructor(readonly width: number) {}

  /** @throws what an earlier task threw */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.width) await Promise.race(this.#running)
    this.#throwFailure()
    const running: Promise<void> = task()
      .catch((error) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Waits for all added tasks. @throws the error of a failed task */
  async drain(): Promise<void> {
    await this.settle()
    this.#throwFailure()
  }

  /** Waits for all added tasks, failed or not. */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}

/** Statements in flight. One keeps a core of the database busy while the next rows are read; the others fill the gaps. */
export const WIDTH = 3
const BATCH_ROWS = 1_000
/** Ends a batch of very detailed shapes early, so that memory is limited by bytes and not only by rows. */
const BATCH_POSITIONS = 100_000

/** Collects records in batches, and writes several batches at a time. */
export class Batches<Item> {
  readonly #window = new TaskWindow(WIDTH)
  #batch: Placed<Item>[] = []
  #size = 0

  /** `sizeOf`: the number of positions in the geometry of a record, or another measure of its size. A batch of `maxSize` is full. */
  constructor(
    readonly sizeOf: (item: Item) => number,
    readonly write: (batch: Placed<Item>[]) => Promise<void>,
    readonly maxSize = BATCH_POSITIONS,
  ) {}

  /** Returns whether the batch is full. Then `flush` it. */
  add(placed: Placed<Item>): boolean {
    this.#batch.push(placed)
    this.#size += this.sizeOf(placed.item)
    return this.#batch.length >= BATCH_ROWS || this.#size >= this.maxSize
  }

  /** Begins to write the batch, as soon as fewer than `WIDTH` are being written. @throws what the writing of an earlier batch threw */
  async flush(): Promise<void> {
    const batch = this.#batch
    if (batch.length === 0) return
    this.#batch = []
    this.#size = 0
    await this.#window.add(() => this.write(batch))
  }

  /** Writes what is left, and waits for all batches. @throws what the writing of a batch threw */
  async end(): Promise<void> {
    await this.flush()
    await this.#window.drain()
  }

  /** Waits for the batches in flight, failed or not. */
  settle(): Promise<void> {
    return this.#window.settle()
  }
}
