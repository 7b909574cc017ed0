import { ScrapeError } from '../scrape-error'

/** How a job waits for its turns. Default: without a limit. */
export interface Waiting {
  /** If the first turn is further away than this, throw `PutOff`. A job that has started always waits for its next turn. */
  longestMs: number
  /** Called when a wait begins; call its result when the wait ends. Waiting does not count toward the scrape's own time limit. */
  pause: () => () => void
}

/**
 * The host gets no request now, because too many jobs of this process wait for it, because it told another job to back off, or because
 * it did not answer others. Retry after `retryAfterMs`. The portal did not refuse this job.
 */
export class PutOff extends ScrapeError {
  declare readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number, code: 'throttled' | 'timeout' = 'throttled') {
    super(code, message, { retryAfterMs })
    this.name = 'PutOff'
  }
}

/** A put-off because the host does not answer. A job that has already timed out once ends here: it would only do so again. */
export class HostSilent extends PutOff {
  constructor(message: string, retryAfterMs: number) {
    super(message, retryAfterMs, 'timeout')
    this.name = 'HostSilent'
  }
}

interface Host {
  /** When the next request may start. */
  nextAt: number
  /** The portal sent `Retry-After`: no requests before this time. */
  heldUntil: number
  /** Requests in a row that it did not answer. */
  silences: number
  /** It is silent, and a job is finding out whether it still is: no other requests before this time. */
  silentUntil: number
  /** First come, first served. */
  waiters: Waiter[]
  /** Fires when it is the first waiter's turn. */
  timer: ReturnType<typeof setTimeout> | null
  /** The latest time at which a job was told to return. */
  toldUntil: number
}

interface Waiter {
  signal: AbortSignal
  spacingMs: number
  start: () => void
  refuse: (error: unknown) => void
}

/** Hosts without requests for this long are forgotten. */
const FORGET_AFTER_MS = 60_000
const CROWD = 1_000
/** A host is silent after this many requests in a row without an answer. */
const SILENCES = 3
/** How often a silent host gets a request. */
const SILENT_MS = 60_000
/**
 * Waits of more than an hour are capped: long estimates are usually wrong. A job that returns while the queue is full is sent away
 * again.
 */
const LONGEST_AWAY_MS = 3_600_000

/**
 * Spaces the requests to each host of this process. No turn is assigned in advance: jobs wait in a queue, and a job that
 * stops waiting leaves it, so no turn is lost. A job is identified by its signal. Times are from `performance.now()`.
 */
export class HostTurns {
  readonly #hosts = new Map<string, Host>()
  readonly #started = new WeakSet<AbortSignal>()
  /** Jobs that a portal told to back off. */
  readonly #refused = new WeakSet<AbortSignal>()

  /**
   * Resolves when `host` may be requested.
   *
   * @throws PutOff when the job's first turn is too far away, or while the host is held
   * @throws ScrapeError `throttled` while the host is held, if it answered this job itself; the signal's reason when it aborts
   */
  async take(host: string, spacingMs: number, signal: AbortSignal, waiting?: Waiting): Promise<void> {
    signal.throwIfAborted()
    const now = performance.now()
    const turns = this.#of(host, now)
    if (turns.heldUntil > now) throw this.#holdOff(host, turns, { signal, spacingMs }, now)
    if (turns.silences >= SILENCES) {
      if (turns.silentUntil > now) throw silenceOf(host, turns, spacingMs, now)
      turns.silentUntil = now + SILENT_MS
    }
    if (turns.waiters.length === 0 && turns.nextAt <= now) turns.nextAt = now + spacingMs
    else {
      if (waiting !== undefined && !this.#started.has(signal)) this.#sendAwayFrom(host, turns, spacingMs, waiting, now)
      await this.#waitIn(turns, spacingMs, signal, waiting)
    }
    this.#started.add(signal)
  }

  /** Holds all requests to `host` for `forMs`, as the host told the job of `signal`. Jobs that wait for the host are rejected. */
  hold(host: string, forMs: number, signal: AbortSignal): void {
    const now = performance.now()
    const turns = this.#of(host, now)
    turns.heldUntil = Math.max(turns.heldUntil, now + forMs)
    this.#refused.add(signal)
    for (const waiter of turns.waiters.splice(0)) waiter.refuse(this.#holdOff(host, turns, waiter, now))
    rest(turns)
  }

  /**
   * A request to `host` got no answer in a long time. After several in a row, one job a minute finds out whether the host answers again, and
   * the others are put off: each would occupy a slot of its vendor for a minute, and jobs for other hosts would wait.
   */
  noteSilence(host: string): void {
    const now = performance.now()
    const turns = this.#of(host, now)
    if (++turns.silences < SILENCES) return
    turns.silentUntil = now + SILENT_MS
    for (const waiter of turns.waiters.splice(0)) waiter.refuse(silenceOf(host, turns, waiter.spacingMs, now))
    rest(turns)
  }

  noteAnswer(host: string): void {
    const turns = this.#hosts.get(host)
    if (turns !== undefined) turns.silences = 0
  }

  #holdOff(host: string, turns: Host, { signal, spacingMs }: Pick<Waiter, 'signal' | 'spacingMs'>, now: number) {
    const message = `${host} asked to be left alone for a while`
    if (!this.#refused.has(signal)) return putOff(turns, { message, spacingMs, from: turns.heldUntil }, now)
    return new ScrapeError('throttled', message, { retryAfterMs: Math.ceil(turns.heldUntil - now) })
  }

  /**
   * Jobs that are sent away return when the queue should have room again. One job may always wait, because otherwise a turn would go
   * unused.
   */
  #sendAwayFrom(host: string, turns: Host, spacingMs: number, { longestMs }: Waiting, now: number): void {
    const waitMs = turns.nextAt - now + turns.waiters.reduce((sum, waiter) => sum + waiter.spacingMs, 0)
    if (turns.waiters.length === 0 || waitMs <= longestMs) return
    const message = `${host} takes one request at a time, and other jobs are waiting: try again later`
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

  /** Starts the first waiter when its time has come, then schedules the next. */
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
      turns = { nextAt: 0, heldUntil: 0, silences: 0, silentUntil: 0, waiters: [], timer: null, toldUntil: 0 }
      this.#hosts.set(host, turns)
    }
    return turns
  }

  #forgetIdle(now: number): void {
    for (const [host, { nextAt, heldUntil, silentUntil, waiters }] of this.#hosts) {
      const isIdle = waiters.length === 0 && Math.max(nextAt, heldUntil, silentUntil) < now - FORGET_AFTER_MS
      if (isIdle) this.#hosts.delete(host)
    }
  }
}

/** Stops the timer when the queue is empty. */
const rest = (turns: Host): void => {
  if (turns.timer !== null) clearTimeout(turns.timer)
  turns.timer = null
}

const silenceOf = (host: string, turns: Host, spacingMs: number, now: number): HostSilent => {
  const message = `${host} did not answer ${turns.silences} requests in a row: it gets one request a minute until it does`
  return new HostSilent(message, awayMs(turns, spacingMs, turns.silentUntil, now))
}

const putOff = (
  turns: Host,
  { message, spacingMs, from }: { message: string; spacingMs: number; from: number },
  now: number,
): PutOff => new PutOff(message, awayMs(turns, spacingMs, from, now))

/** Gives each job that is sent away its own time to return, starting at `from`. */
const awayMs = (turns: Host, spacingMs: number, from: number, now: number): number => {
  const backAt = Math.min(Math.max(turns.toldUntil, from), from + LONGEST_AWAY_MS)
  turns.toldUntil = backAt + spacingMs
  return Math.ceil(backAt - now)
}
