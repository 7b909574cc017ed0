import { TaskWindow } from '../../../core/concurrency/task-window'

/** A record to write, with its line. */
export interface Placed<Item> {
  line: number
  item: Item
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
