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
  outage?: { from: number; to: number }
  /** Responses take `factor` times as long from `from` to `to`, at any load. */
  slow?: { from: number; to: number; factor: number }
}

/** Refusals and failures are quick, so their slots are free again soon. */
const FAILURE_MS = 100
const TIMEOUT_MS = 30_000
/** Spread of response times around their median: the standard deviation of their logarithm. */
const SPREAD = 0.25

/** Numbers from 0 to 1; the same seed gives the same numbers (mulberry32, by Tommy Ettinger, public domain). */
const createRandom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

interface Served {
  startedAt: number
  /** The portal's progress value at which the request is done. */
  doneAt: number
  ended: boolean
}

/** Single attempts at this interval, none before `notBefore` and none before the last one's Retry-After has passed (as `takeProbe`). */
interface Probing {
  everyMs: number
  notBefore: number
}

export interface SimulatedPortal {
  /** Runs until `until` with `target` concurrent attempts and unlimited work; or, with `probing`, with one at a time. */
  run: (until: number, target: number, probing?: Probing) => Attempt[]
  readonly running: number
}

/**
 * Simulates, event by event, a portal under a worker that always has work. Requests within the capacity do not affect each other; beyond it a portal
 * that `slows` gives each an equal share of its speed (processor sharing).
 */
export const createSimulatedPortal = (model: PortalModel, seed = 1): SimulatedPortal => {
  const random = createRandom(seed)
  /** Requests in progress: by finishing time, and by arrival. */
  const served: Served[] = []
  const oldest: Served[] = []
  /** Refusals and failures, which take the same time at any load, in the order in which they end. */
  const refused: { startedAt: number; endsAt: number; outcome: string; retryAfterMs: number | null }[] = []
  let now = 0
  /** Work done so far on each request, in ms of a full-speed response. */
  let progress = 0
  /** When the last single attempt started; -Infinity after a phase of many. */
  let lastProbeAt = Number.NEGATIVE_INFINITY
  let askedUntil = 0
  let bannedUntil = 0

  const isDuring = (span: { from: number; to: number } | undefined) =>
    span !== undefined && now >= span.from && now < span.to
  const pace = () =>
    Math.min(1, model.capacity / Math.max(1, served.length)) / (isDuring(model.slow) ? (model.slow?.factor ?? 1) : 1)
  const nextPaceChangeAt = (): number => {
    const { from, to } = model.slow ?? { from: 0, to: 0 }
    return now < from ? from : now < to ? to : Number.POSITIVE_INFINITY
  }
  const drawWorkMs = () =>
    model.latencyMs * Math.exp(SPREAD * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))

  const refuse = (outcome: string, retryAfterMs: number | null) =>
    refused.push({ startedAt: now, endsAt: now + FAILURE_MS, outcome, retryAfterMs })

  const start = (): void => {
    const isTooMuch = model.beyond !== 'slows' && served.length >= model.capacity
    if (isDuring(model.outage)) refuse('network', null)
    else if (now < bannedUntil) refuse('throttled', bannedUntil - now)
    else if (isTooMuch) {
      if (model.beyond === 'bans') bannedUntil = now + (model.retryAfterMs ?? 0)
      refuse('throttled', model.retryAfterMs ?? null)
    } else {
      const request = { startedAt: now, doneAt: progress + drawWorkMs(), ended: false }
      const place = served.findLastIndex(({ doneAt }) => doneAt <= request.doneAt) + 1
      served.splice(place, 0, request)
      oldest.push(request)
    }
  }

  const run = (until: number, target: number, probing?: Probing): Attempt[] => {
    const ended: Attempt[] = []
    const end = (outcome: string, startedAt: number, retryAfterMs: number | null = null) => {
      askedUntil = Math.max(askedUntil, now + (retryAfterMs ?? 0))
      ended.push({ outcome, endedAt: now, durationMs: Math.round(now - startedAt), retryAfterMs })
    }
    if (probing === undefined) lastProbeAt = Number.NEGATIVE_INFINITY
    const isFree = () => served.length + refused.length < (probing === undefined ? target : 1)
    const startAt = () => {
      if (!isFree()) return Number.POSITIVE_INFINITY
      return probing === undefined ? now : Math.max(lastProbeAt + probing.everyMs, probing.notBefore, askedUntil)
    }
    while (true) {
      while (startAt() <= now && now < until) {
        if (probing !== undefined) lastProbeAt = now
        start()
      }
      while (oldest[0]?.ended) oldest.shift()
      const speed = pace()
      const doneAt = served[0] === undefined ? Number.POSITIVE_INFINITY : now + (served[0].doneAt - progress) / speed
      const timeoutAt = (oldest[0]?.startedAt ?? Number.POSITIVE_INFINITY) + TIMEOUT_MS
      const refusalEndsAt = refused[0]?.endsAt ?? Number.POSITIVE_INFINITY
      const nextAt = Math.max(now, Math.min(until, doneAt, timeoutAt, refusalEndsAt, startAt(), nextPaceChangeAt()))
      progress += (nextAt - now) * speed
      now = nextAt
      if (now >= until) return ended
      const request = now === doneAt ? served.shift() : now === timeoutAt ? oldest.shift() : undefined
      if (request !== undefined) {
        request.ended = true
        if (now !== doneAt) served.splice(served.indexOf(request), 1)
        end(now === doneAt ? 'done' : 'timeout', request.startedAt)
      } else if (now === refusalEndsAt) {
        const refusal = refused.shift()
        if (refusal !== undefined) end(refusal.outcome, refusal.startedAt, refusal.retryAfterMs)
      }
    }
  }
  return {
    run,
    get running() {
      return served.length + refused.length
    },
  }
}
