import type { Attempt } from './signals'

/** A portal as a model: how long it takes, how much it bears, and what it does beyond that. Times in ms from the start. */
export interface PortalModel {
  /** Requests at once that it answers at full speed. */
  capacity: number
  /** Beyond its capacity it refuses what is too much (429), refuses everything for `retryAfterMs`, or answers all of them more slowly. */
  beyond: 'refuses' | 'bans' | 'slows'
  /** What its refusals say in Retry-After; without it they say nothing. */
  retryAfterMs?: number
  /** Median time of an answer within its capacity. */
  latencyMs: number
  /** All requests fail, quickly, from `from` to `to`. */
  outage?: { from: number; to: number }
  /** It takes `factor` times as long, from `from` to `to`, whatever its load. */
  slow?: { from: number; to: number; factor: number }
}

/** Refusals and failures are quick: the slots that meet them spin. */
const FAILURE_MS = 100
const TIMEOUT_MS = 30_000
/** Spread of answer times around their median: the standard deviation of their logarithm. */
const SPREAD = 0.25

/** Gives numbers from 0 to 1, the same ones for the same seed (mulberry32, by Tommy Ettinger, public domain). */
const createRandom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

interface Served {
  startedAt: number
  /** The portal's progress at which it is done. */
  doneAt: number
  ended: boolean
}

/** Single tries, this far apart, none before `notBefore` and none before what the last of them was asked to wait (as `takeProbe`). */
interface Probing {
  everyMs: number
  notBefore: number
}

export interface SimulatedPortal {
  /** Runs until `until` with as many tries at once as `target`, work never lacking; or, `probing`, with one at a time. */
  run: (until: number, target: number, probing?: Probing) => Attempt[]
  readonly running: number
}

/**
 * A portal under a worker that always has work, event by event. Requests within the capacity share nothing; beyond it a portal
 * that `slows` gives each of them an equal share of its speed (processor sharing).
 */
export const createSimulatedPortal = (model: PortalModel, seed = 1): SimulatedPortal => {
  const random = createRandom(seed)
  /** What the portal works on: by the end of the work, and as it came. */
  const served: Served[] = []
  const oldest: Served[] = []
  /** Refusals and failures, which take their time whatever the load, in the order in which they end. */
  const turnedAway: { startedAt: number; endsAt: number; outcome: string; retryAfterMs: number | null }[] = []
  let now = 0
  /** Work that the portal has done so far on each request: ms of an answer at full speed. */
  let progress = 0
  /** When the last single try began; not yet, after a time of many. */
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

  const turnAway = (outcome: string, retryAfterMs: number | null) =>
    turnedAway.push({ startedAt: now, endsAt: now + FAILURE_MS, outcome, retryAfterMs })

  const start = (): void => {
    const isTooMuch = model.beyond !== 'slows' && served.length >= model.capacity
    if (isDuring(model.outage)) turnAway('network', null)
    else if (now < bannedUntil) turnAway('throttled', bannedUntil - now)
    else if (isTooMuch) {
      if (model.beyond === 'bans') bannedUntil = now + (model.retryAfterMs ?? 0)
      turnAway('throttled', model.retryAfterMs ?? null)
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
    const isFree = () => served.length + turnedAway.length < (probing === undefined ? target : 1)
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
      const turnedAwayAt = turnedAway[0]?.endsAt ?? Number.POSITIVE_INFINITY
      const nextAt = Math.max(now, Math.min(until, doneAt, timeoutAt, turnedAwayAt, startAt(), nextPaceChangeAt()))
      progress += (nextAt - now) * speed
      now = nextAt
      if (now >= until) return ended
      const request = now === doneAt ? served.shift() : now === timeoutAt ? oldest.shift() : undefined
      if (request !== undefined) {
        request.ended = true
        if (now !== doneAt) served.splice(served.indexOf(request), 1)
        end(now === doneAt ? 'done' : 'timeout', request.startedAt)
      } else if (now === turnedAwayAt) {
        const refusal = turnedAway.shift()
        if (refusal !== undefined) end(refusal.outcome, refusal.startedAt, refusal.retryAfterMs)
      }
    }
  }
  return {
    run,
    get running() {
      return served.length + turnedAway.length
    },
  }
}
