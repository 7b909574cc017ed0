/** The time limit of a scrape. The clock stops while the scrape waits for its turn at a host, because that says nothing about the portal. */
export class ScrapeClock {
  readonly #expire: () => void
  #leftMs: number
  #waitedMs = 0
  #waits = 0
  #isOver = false
  /** When the clock last started or stopped. */
  #since = performance.now()
  #timer: ReturnType<typeof setTimeout>

  constructor(limitMs: number, expire: () => void) {
    this.#expire = expire
    this.#leftMs = limitMs
    this.#timer = setTimeout(expire, limitMs)
  }

  /** How much of the time so far was spent waiting. */
  get waitedMs(): number {
    return Math.round(this.#waitedMs + (this.#waits > 0 ? performance.now() - this.#since : 0))
  }

  /** Stops the clock until the returned function is called; with overlapping pauses, until the last one ends. */
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
