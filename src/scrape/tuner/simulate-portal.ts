import { createRandom } from '../../../core/seeded-random'
import type { Attempt } from './signals'

/** A model of a portal: its latency, its capacity, and its behavior beyond that. Times in ms from the start. */
export interface PortalModel {
  /** Concurrent requests that it answers at full speed. */
  capacity: number
  /** Beyond its capacity it refuses the excess (429), refuses everything for `retryAfterMs`, or answers everything more slowly. */
  beyond: 'refuses' | 'bans' | 'slows'
  /** The Retry-After of its refusals; if absent, they have none. */
  retryAfterMs?: number
  /** Median response time within its capacity. */
  latencyMs: number
  /** All requests fail quickly from `from` to `to`. */
  outage?: Span
  /** Responses take `factor` times as long from `from` to `to`, at any load. */
  slow?: Span & { factor: number }
}

interface Span {
  from: number
  to: number
}

/** Refusals and failures are quick, so their slots are free again soon. */
const FAILURE_MS = 100
const TIMEOUT_MS = 30_000
/** Spread of response times around their median: the standard deviation of their logarithm. */
const SPREAD = 0.25

/** A request that the portal works on. */
interface Served {
  startedAt: number
  /** The portal's progress value at which the request is done. */
  doneAt: number
  ended: boolean
}

/** A request that the portal refuses, or that fails. */
interface Failing {
  startedAt: number
  endsAt: number
  outcome: 'throttled' | 'network'
  retryAfterMs: number | null
}

/** Single attempts at this interval, none before `notBefore` and none before the last one's Retry-After has passed (as `takeProbe`). */
interface Probing {
  everyMs: number
  notBefore: number
}

/**
 * Simulates, event by event, a portal under a worker that always has work. Requests within the capacity do not affect each other; beyond it a portal
 * that `slows` gives each an equal share of its speed (processor sharing).
 */
export class SimulatedPortal {
  readonly #model: PortalModel
  readonly #random: () => number
  /** The requests in progress, by finishing time. */
  readonly #served: Served[] = []
  /** The same by arrival, and the first of those that have ended. */
  readonly #oldest: Served[] = []
  /** In the order in which they end, because all take the same time. */
  readonly #failing: Failing[] = []
  #now = 0
  /** Work done so far on each request, in ms of a full-speed response. */
  #progress = 0
  /** When the last single attempt started; -Infinity after a phase of many. */
  #lastProbeAt = Number.NEGATIVE_INFINITY
  /** When the longest Retry-After so far has passed. */
  #askedUntil = 0
  #bannedUntil = 0

  constructor(model: PortalModel, seed = 1) {
    this.#model = model
    this.#random = createRandom(seed)
  }

  get running(): number {
    return this.#served.length + this.#failing.length
  }

  /** Runs until `until` with `target` concurrent attempts and unlimited work; or, with `probing`, with one at a time. Returns those that ended. */
  run(until: number, target: number, probing?: Probing): Attempt[] {
    if (probing === undefined) this.#lastProbeAt = Number.NEGATIVE_INFINITY
    const ended: Attempt[] = []
    while (true) {
      while (this.#nextStartAt(target, probing) <= this.#now && this.#now < until) {
        if (probing !== undefined) this.#lastProbeAt = this.#now
        this.#start()
      }
      const next = this.#nextEnding()
      const nextAt = Math.min(until, next.at, this.#nextStartAt(target, probing), this.#nextPaceChangeAt())
      this.#advance(Math.max(this.#now, nextAt))
      if (this.#now >= until) return ended
      if (this.#now >= next.at) ended.push(this.#end(next.how))
    }
  }

  #nextStartAt(target: number, probing: Probing | undefined): number {
    if (this.running >= (probing === undefined ? target : 1)) return Number.POSITIVE_INFINITY
    if (probing === undefined) return this.#now
    return Math.max(this.#lastProbeAt + probing.everyMs, probing.notBefore, this.#askedUntil)
  }

  #start(): void {
    const { beyond, capacity, outage, retryAfterMs } = this.#model
    if (this.#isDuring(outage)) this.#fail('network', null)
    else if (this.#now < this.#bannedUntil) this.#fail('throttled', this.#bannedUntil - this.#now)
    else if (beyond === 'slows' || this.#served.length < capacity) this.#serve()
    else {
      if (beyond === 'bans') this.#bannedUntil = this.#now + (retryAfterMs ?? 0)
      this.#fail('throttled', retryAfterMs ?? null)
    }
  }

  #fail(outcome: Failing['outcome'], retryAfterMs: number | null): void {
    this.#failing.push({ startedAt: this.#now, endsAt: this.#now + FAILURE_MS, outcome, retryAfterMs })
  }

  #serve(): void {
    const request = { startedAt: this.#now, doneAt: this.#progress + this.#drawWorkMs(), ended: false }
    const place = this.#served.findLastIndex(({ doneAt }) => doneAt <= request.doneAt) + 1
    this.#served.splice(place, 0, request)
    this.#oldest.push(request)
  }

  /** Log-normal, with the median `latencyMs` (Box-Muller transform). */
  #drawWorkMs(): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
    return this.#model.latencyMs * Math.exp(SPREAD * normal)
  }

  /** The next request to end. If several end at the same time: first the one that is done, then the timeout, then the failure. */
  #nextEnding(): { at: number; how: 'done' | 'timeout' | 'failure' } {
    while (this.#oldest[0]?.ended) this.#oldest.shift()
    const [first] = this.#served
    const doneAt =
      first === undefined ? Number.POSITIVE_INFINITY : this.#now + (first.doneAt - this.#progress) / this.#pace()
    const timeoutAt = (this.#oldest[0]?.startedAt ?? Number.POSITIVE_INFINITY) + TIMEOUT_MS
    const failureAt = this.#failing[0]?.endsAt ?? Number.POSITIVE_INFINITY
    const at = Math.min(doneAt, timeoutAt, failureAt)
    return { at, how: at === doneAt ? 'done' : at === timeoutAt ? 'timeout' : 'failure' }
  }

  #end(how: 'done' | 'timeout' | 'failure'): Attempt {
    if (how === 'failure') {
      const { outcome, startedAt, retryAfterMs } = this.#failing.shift() as Failing
      this.#askedUntil = Math.max(this.#askedUntil, this.#now + (retryAfterMs ?? 0))
      return this.#attempt(outcome, startedAt, retryAfterMs)
    }
    const request = (how === 'done' ? this.#served.shift() : this.#oldest.shift()) as Served
    request.ended = true
    if (how === 'timeout') this.#served.splice(this.#served.indexOf(request), 1)
    return this.#attempt(how, request.startedAt, null)
  }

  #attempt(outcome: string, startedAt: number, retryAfterMs: number | null): Attempt {
    return { outcome, endedAt: this.#now, durationMs: Math.round(this.#now - startedAt), retryAfterMs }
  }

  /** The share of full speed at which each request progresses. */
  #pace(): number {
    const { capacity, slow } = this.#model
    const share = Math.min(1, capacity / Math.max(1, this.#served.length))
    return slow !== undefined && this.#isDuring(slow) ? share / slow.factor : share
  }

  /** When the portal becomes slow, or fast again. */
  #nextPaceChangeAt(): number {
    const { from, to } = this.#model.slow ?? { from: 0, to: 0 }
    if (this.#now < from) return from
    return this.#now < to ? to : Number.POSITIVE_INFINITY
  }

  #isDuring(span: Span | undefined): boolean {
    return span !== undefined && this.#now >= span.from && this.#now < span.to
  }

  /** Moves to the time `at`. The pace must not change before it. */
  #advance(at: number): void {
    this.#progress += (at - this.#now) * this.#pace()
    this.#now = at
  }
}
