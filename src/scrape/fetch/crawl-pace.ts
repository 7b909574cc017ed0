import { ScrapeError } from '../../../adapters/scrape-error'
import { formatCount } from '../../../core/text/count-noun'
import { ScrapeClock } from './scrape-clock'

/** A crawl must get at least this many records in this time. */
export interface Pace {
  records: number
  withinMs: number
}

/**
 * Every request has its own time limit, but a layer can stay within it and send one record per request, so that its crawl never ends.
 * Slow layers that are in use send a hundred records a minute.
 */
const LEAST_PACE: Pace = { records: 300, withinMs: 600_000 }

/** The layer sends its records too slowly. The few records of such an attempt are no reason to try without end. */
export class SlowLayer extends ScrapeError {
  constructor(records: number, { records: least, withinMs }: Pace) {
    const [sent, needed] = [records, least].map(formatCount)
    super(
      'timeout',
      `the layer sent ${sent} records in ${withinMs / 60_000} minutes, and a crawl needs at least ${needed}`,
    )
    this.name = 'SlowLayer'
  }
}

/** Watches how fast a layer sends its records. Only the time in which the portal is to send something counts. */
export class CrawlPace {
  readonly #pace: Pace
  readonly #slow = new AbortController()
  #records = 0
  #clock: ScrapeClock

  constructor(pace: Pace = LEAST_PACE) {
    this.#pace = pace
    this.#clock = this.#startClock()
  }

  /** Aborts with a `SlowLayer`. */
  get signal(): AbortSignal {
    return this.#slow.signal
  }

  /** Stops the time until the returned function is called. */
  pause(): () => void {
    return this.#clock.pause()
  }

  /** Call it while no pause is under way. */
  note(records: number): void {
    this.#records += records
    if (this.#records < this.#pace.records) return
    this.#clock.stop()
    this.#records = 0
    this.#clock = this.#startClock()
  }

  stop(): void {
    this.#clock.stop()
  }

  #startClock(): ScrapeClock {
    return new ScrapeClock(this.#pace.withinMs, () => this.#slow.abort(new SlowLayer(this.#records, this.#pace)))
  }
}
