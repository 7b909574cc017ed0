import { ScrapeError } from '../scrape-error'

interface Host {
  /** When the next request may start. */
  nextAt: number
  /** The portal asked to be left alone until then. */
  heldUntil: number
}

/** Hosts that were not asked for so long need no memory. */
const FORGET_AFTER_MS = 60_000
const CROWD = 1_000

/** Spaces the requests to each host of this process. Times are of `performance.now()`. */
export class HostTurns {
  readonly #hosts = new Map<string, Host>()

  /**
   * Resolves when `host` may be asked.
   *
   * @throws ScrapeError `throttled` while the host is held; the signal's reason when it aborts
   */
  async take(host: string, spacingMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const now = performance.now()
    const turn = this.#of(host, now)
    if (turn.heldUntil > now) {
      throw new ScrapeError('throttled', `${host} asked to be left alone for a while`, {
        retryAfterMs: Math.ceil(turn.heldUntil - now),
      })
    }
    const startsAt = Math.max(now, turn.nextAt)
    turn.nextAt = startsAt + spacingMs
    if (startsAt > now) await sleep(startsAt - now, signal)
  }

  /** Nobody asks `host` for so long. */
  hold(host: string, forMs: number): void {
    const now = performance.now()
    const turn = this.#of(host, now)
    turn.heldUntil = Math.max(turn.heldUntil, now + forMs)
  }

  #of(host: string, now: number): Host {
    let turn = this.#hosts.get(host)
    if (turn === undefined) {
      if (this.#hosts.size >= CROWD) this.#forgetIdle(now)
      turn = { nextAt: 0, heldUntil: 0 }
      this.#hosts.set(host, turn)
    }
    return turn
  }

  #forgetIdle(now: number): void {
    for (const [host, { nextAt, heldUntil }] of this.#hosts) {
      if (Math.max(nextAt, heldUntil) < now - FORGET_AFTER_MS) this.#hosts.delete(host)
    }
  }
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
  })
