/** Runs up to `width` tasks in parallel; `add` waits for a free slot, which slows down a fast reader. */
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
