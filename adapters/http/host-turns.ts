import { ScrapeError } from '../scrape-error'

/** How a job waits for its turns. Left out: as long as it takes. */
export interface Waiting {
  /** A first turn that is further away is not waited for: `PutOff`. Whoever has begun, waits to go on. */
  longestMs: number
  /** Runs when a wait begins, and what it gives when that ends: being polite is no part of a scrape's own time. */
  pause: () => () => void
}

/**
 * The host is not asked now, because so many of this process wait for it, or because it told another job that it wants to be left
 * alone: come back in `retryAfterMs`. To this job the portal refused nothing.
 */
export class PutOff extends ScrapeError {
  declare readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super('throttled', message, { retryAfterMs })
    this.name = 'PutOff'
  }
}

interface Host {
  /** When the next request may start. */
  nextAt: number
  /** The portal asked to be left alone until then. */
  heldUntil: number
  /** In the order in which they came. */
  waiters: Waiter[]
  /** Goes off when the first waiter's turn comes. */
  timer: ReturnType<typeof setTimeout> | null
  /** Until when those who were sent away have been told to come back. */
  toldUntil: number
}

interface Waiter {
  signal: AbortSignal
  spacingMs: number
  start: () => void
  refuse: (error: unknown) => void
}

/** Hosts that were not asked for so long need no memory. */
const FORGET_AFTER_MS = 60_000
const CROWD = 1_000
/** Beyond the earliest. Who comes back is sent away again if there is a crowd still; what was foreseen for long after is seldom so. */
const LONGEST_AWAY_MS = 3_600_000

/**
 * Spaces the requests to each host of this process. Nothing is promised ahead of its time: who waits stands in a line, and who
 * stops waiting leaves it, so that no turn is lost. A job is known by its signal. Times are of `performance.now()`.
 */
export class HostTurns {
  readonly #hosts = new Map<string, Host>()
  readonly #begun = new WeakSet<AbortSignal>()
  /** Jobs that a portal asked to leave it alone. */
  readonly #refused = new WeakSet<AbortSignal>()

  /**
   * Resolves when `host` may be asked.
   *
   * @throws PutOff when the job's first turn is too far away to wait for, and while the host is held
   * @throws ScrapeError `throttled` while it is held, to whom the portal itself said so; the signal's reason when it aborts
   */
  async take(host: string, spacingMs: number, signal: AbortSignal, waiting?: Waiting): Promise<void> {
    signal.throwIfAborted()
    const now = performance.now()
    const turns = this.#of(host, now)
    if (turns.heldUntil > now) throw this.#holdOff(host, turns, { signal, spacingMs }, now)
    if (turns.waiters.length === 0 && turns.nextAt <= now) turns.nextAt = now + spacingMs
    else {
      if (waiting !== undefined && !this.#begun.has(signal)) this.#sendAwayFrom(host, turns, spacingMs, waiting, now)
      await this.#waitIn(turns, spacingMs, signal, waiting)
    }
    this.#begun.add(signal)
  }

  /** Nobody asks `host` for so long, which it said to the job of `signal`; whoever waits for it is told so. */
  hold(host: string, forMs: number, signal: AbortSignal): void {
    const now = performance.now()
    const turns = this.#of(host, now)
    turns.heldUntil = Math.max(turns.heldUntil, now + forMs)
    this.#refused.add(signal)
    for (const waiter of turns.waiters.splice(0)) waiter.refuse(this.#holdOff(host, turns, waiter, now))
    rest(turns)
  }

  #holdOff(host: string, turns: Host, { signal, spacingMs }: Pick<Waiter, 'signal' | 'spacingMs'>, now: number) {
    const message = `${host} asked to be left alone for a while`
    if (!this.#refused.has(signal)) return putOff(turns, { message, spacingMs, from: turns.heldUntil }, now)
    return new ScrapeError('throttled', message, { retryAfterMs: Math.ceil(turns.heldUntil - now) })
  }

  /**
   * When they are to come back, there should be some room in the line. One place is always worth taking: a turn that nobody waits
   * for is lost.
   */
  #sendAwayFrom(host: string, turns: Host, spacingMs: number, { longestMs }: Waiting, now: number): void {
    const waitMs = turns.nextAt - now + turns.waiters.reduce((sum, waiter) => sum + waiter.spacingMs, 0)
    if (turns.waiters.length === 0 || waitMs <= longestMs) return
    const message = `${host} is asked one page at a time, and others wait: later`
    throw putOff(turns, { message, spacingMs, from: now + waitMs - longestMs / 2 }, now)
  }

  async #waitIn(turns: Host, spacingMs: number, signal: AbortSignal, waiting: Waiting | undefined): Promise<void> {
    const resume = waiting?.pause()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { signal, spacingMs, start: resolve, refuse: reject }
    const leave = () => {
      const place = turns.waiters.indexOf(waiter)
      if (place !== -1) turns.waiters.splice(place, 1)
      if (turns.waiters.length === 0) rest(turns)
      reject(signal.reason)
    }
    turns.waiters.push(waiter)
    signal.addEventListener('abort', leave, { once: true })
    this.#wake(turns)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
      resume?.()
    }
  }

  /** Lets the first one start when the time has come, and then the next. */
  #wake(turns: Host): void {
    if (turns.timer !== null) return
    turns.timer = setTimeout(
      () => {
        turns.timer = null
        const now = performance.now()
        if (turns.nextAt <= now) {
          const first = turns.waiters.shift()
          if (first !== undefined) turns.nextAt = now + first.spacingMs
          first?.start()
        }
        if (turns.waiters.length > 0) this.#wake(turns)
      },
      Math.max(0, turns.nextAt - performance.now()),
    )
  }

  #of(host: string, now: number): Host {
    let turns = this.#hosts.get(host)
    if (turns === undefined) {
      if (this.#hosts.size >= CROWD) this.#forgetIdle(now)
      turns = { nextAt: 0, heldUntil: 0, waiters: [], timer: null, toldUntil: 0 }
      this.#hosts.set(host, turns)
    }
    return turns
  }

  #forgetIdle(now: number): void {
    for (const [host, { nextAt, heldUntil, waiters }] of this.#hosts) {
      const isIdle = waiters.length === 0 && Math.max(nextAt, heldUntil) < now - FORGET_AFTER_MS
      if (isIdle) this.#hosts.delete(host)
    }
  }
}

/** Nobody waits. */
const rest = (turns: Host): void => {
  if (turns.timer !== null) clearTimeout(turns.timer)
  turns.timer = null
}

/** Each who is sent away is told a time of its own to come back, from `from` on. */
const putOff = (
  turns: Host,
  { message, spacingMs, from }: { message: string; spacingMs: number; from: number },
  now: number,
): PutOff => {
  const backAt = Math.min(Math.max(turns.toldUntil, from), from + LONGEST_AWAY_MS)
  turns.toldUntil = backAt + spacingMs
  return new PutOff(message, Math.ceil(backAt - now))
}
