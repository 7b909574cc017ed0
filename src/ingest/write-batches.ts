import { isCollision, isConnectionLost, isTransient } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import type { UpsertCounts } from '../../drizzle/records'

/** A record on its way, with the line it came from. */
export interface Placed<Item> {
  line: number
  item: Item
}

export interface WriteOptions<Item> {
  upsert: (items: Item[]) => Promise<UpsertCounts>
  onWritten: (counts: UpsertCounts) => void
  /** Hears of a record that the database itself refuses. */
  onRefused: (placed: Placed<Item>, reason: string) => void
  onWaiting: (line: string) => void
  /** How long a database that is away or busy is asked again. */
  retryForMs: number
}

/** Longest pause between two attempts. */
const MAX_PAUSE_MS = 5_000

/** SQLSTATE classes that speak of the data: exceptions, violated constraints, limits of what an index holds (Appendix A of the manual). */
export const isAboutData = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(?:22|23|54)...$/.test(error.code)

/**
 * Writes one batch as one statement, so that what is written is always whole batches. A batch that the database refuses for
 * what is in it is halved until the row at fault is alone.
 *
 * @throws ServiceError `server_unavailable` when the database stays away or busy for `retryForMs`.
 */
export const writeBatch = async <Item>(batch: Placed<Item>[], options: WriteOptions<Item>): Promise<void> => {
  let awaySince: number | null = null
  for (let attempt = 0; ; attempt++) {
    try {
      options.onWritten(await options.upsert(batch.map(({ item }) => item)))
      return
    } catch (error) {
      if (isAboutData(error)) return await writeHalves(batch, options, error)
      if (isCollision(error) && attempt < 10) continue
      if (!isTransient(error)) throw error
      awaySince ??= Date.now()
      const pauseMs = Math.min(100 * 2 ** attempt, MAX_PAUSE_MS) * (0.5 + Math.random() / 2)
      if (Date.now() + pauseMs - awaySince > options.retryForMs) {
        throw new ServiceError(
          'server_unavailable',
          `the database has been ${isConnectionLost(error) ? 'away' : 'busy'} for ${Math.round(options.retryForMs / 1000)} s (${(error as Error).message}): what was written stays, the same command run again completes it`,
          { cause: error },
        )
      }
      if (attempt === 0)
        options.onWaiting(`the database is ${isConnectionLost(error) ? 'away' : 'busy'}: waiting for it`)
      await Bun.sleep(pauseMs)
    }
  }
}

const writeHalves = async <Item>(batch: Placed<Item>[], options: WriteOptions<Item>, error: Error): Promise<void> => {
  const [only] = batch
  if (batch.length === 1 && only !== undefined)
    return options.onRefused(only, `the database refused it: ${error.message}`)
  const middle = Math.ceil(batch.length / 2)
  await writeBatch(batch.slice(0, middle), options)
  await writeBatch(batch.slice(middle), options)
}

/** Lets up to `width` tasks run at once; `add` waits for a free place, which is what holds a fast reader back. */
export class TaskWindow {
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

  /** Waits for all that was added. @throws what one of them threw */
  async drain(): Promise<void> {
    await this.settle()
    this.#throwFailure()
  }

  /** Waits for all that was added, failed or not. */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}
