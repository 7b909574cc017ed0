/** The time limit of a scrape. It stands still while the scrape waits for its turn at a host, which says nothing about a portal. */
export class ScrapeClock {
  readonly #expire: () => void
  #leftMs: number
  #waitedMs = 0
  #waits = 0
  #isOver = false
  /** When it began to run, or to stand still. */
  #since = performance.now()
  #timer: ReturnType<typeof setTimeout>

  constructor(limitMs: number, expire: () => void) {
    this.#expire = expire
    this.#leftMs = limitMs
    this.#timer = setTimeout(expire, limitMs)
  }

  /** Of the time so far, how much was waiting. */
  get waitedMs(): number {
    return Math.round(this.#waitedMs + (this.#waits > 0 ? performance.now() - this.#since : 0))
  }

  /** Stands still until what it gives is called; of waits side by side, until the last of them is over. */
  pause(): () => void {
    if (this.#waits++ === 0) {
      clearTimeout(this.#timer)
      this.#leftMs -= this.#lap()
    }
    return () => {
      if (--this.#waits > 0) return
      this.#waitedMs += this.#lap()
      if (!this.#isOver) this.#timer = setTimeout(this.#expire, Math.max(0, this.#leftMs))
    }
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #lap(): number {
    const now = performance.now()
    const lap = now - this.#since
    this.#since = now
    return lap
  }
}
