import { type Caller, createFairTurns } from '../../core/concurrency/fair-turns'
import { waitAtMost } from '../../core/concurrency/wait-at-most'
import type { Reader } from '../../core/postgres/replicas/reads'
import { ServiceError } from '../../core/service-error'
import {
  ALL_STATES,
  hasNoStates,
  hasState,
  intersectStates,
  NO_STATES,
  type StateSet,
  subtractStates,
  uniteStates,
} from '../../core/state-set'
import type { Budget } from '../budget'
import type { Pool } from '../engine'
import type { Instance } from '../index/instances'
import type { LiveStates } from '../index/live-states'
import type { SearchRequest } from '../query/query'
import { type AskedInstance, createAskedInstance } from './ask-instance'
import type { MeilisearchEngine } from './meilisearch'
import { type PostgresEngine, UNAVAILABLE } from './postgres'

/** A trigram search needs several connections, and each keeps a CPU core busy. */
const POSTGRES_TURNS = { atOnce: 2, perCaller: 2, patienceMs: 15_000 }
/** If some instances answer, the search waits this long for PostgreSQL, and then goes on without the states of the others. */
const PARTIAL_PATIENCE_MS = 700
/** In less time than this, a search finds nothing. */
export const SHORTEST_SEARCH_MS = 50

export interface Retrieved extends Pool {
  /** The states that PostgreSQL answered, because their instances of Meilisearch did not. */
  degraded: StateSet
  /** No instance answered, so a looser match level finds nothing more. */
  isExhausted: boolean
}

/** `answered`: states that PostgreSQL already answered at an earlier match level of the same search. They are skipped. */
export type Retrieve = (
  request: SearchRequest,
  caller: Caller & Reader,
  budget: Budget,
  answered?: StateSet,
) => Promise<Retrieved>

/** An instance of Meilisearch as the search uses it. */
export interface SearchedInstance {
  instance: Instance
  engine: MeilisearchEngine
  /** Rejects while it is not known what its index has. */
  live: () => Promise<LiveStates>
}

/** Called when an instance stops answering searches and when it answers again. */
export type OnHealthChange = (instance: Instance, healthy: boolean, reason: string) => void

/**
 * Gets candidates from the relevant Meilisearch instances in parallel. PostgreSQL answers for the states of an instance that is down or
 * stalls, and for states that are not in an index yet. Retired parcels are not in the index, so PostgreSQL searches them. Without
 * instances, it searches everything.
 */
export const createRetrieval = (
  instances: readonly SearchedInstance[],
  postgres: PostgresEngine,
  { postgresMs, onHealthChange }: { postgresMs: number; onHealthChange: OnHealthChange },
): Retrieve => {
  const postgresTurns = createFairTurns(POSTGRES_TURNS)
  const parts = instances.map(
    ({ instance, engine, live }): Part => ({
      states: instance.states,
      live,
      asked: createAskedInstance(engine, (healthy, reason) => onHealthChange(instance, healthy, reason)),
    }),
  )

  return async (request, caller, budget, answered = NO_STATES) => {
    const wanted = statesOf(request)
    const askPostgres = (states: StateSet, of = request): Promise<Pool> => {
      const isAll = hasNoStates(subtractStates(wanted, states))
      const askedAt = performance.now()
      const found = postgresTurns.run(caller, async () => {
        const waitedMs = performance.now() - askedAt
        if (!isAll && waitedMs > PARTIAL_PATIENCE_MS) return UNKNOWN
        budget.extend(waitedMs)
        const leftMs = Math.max(SHORTEST_SEARCH_MS, budget.leftMs())
        return postgres.findCandidates(of, Math.min(postgresMs, leftMs), isAll ? null : states, caller)
      })
      return isAll ? found : orUnknown(found)
    }
    /** Parts that neither their instance nor PostgreSQL answered. */
    const failures: unknown[] = []
    /** Returns the other instances' results even if PostgreSQL is busy or down. */
    const orUnknown = async (found: Promise<Pool>): Promise<Pool> => {
      try {
        const pool = await waitAtMost(PARTIAL_PATIENCE_MS, found)
        if (pool !== 'late') return pool
        failures.push(new ServiceError('search_unavailable', UNAVAILABLE))
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        failures.push(error)
      }
      return UNKNOWN
    }
    if (parts.length === 0) return { ...(await askPostgres(wanted)), degraded: NO_STATES, isExhausted: true }

    /** The states that PostgreSQL answers, all in one search. */
    let ofPostgres = NO_STATES
    const asked: Promise<Retrieved>[] = []
    const concerned = parts
      .map((part) => ({ part, states: subtractStates(intersectStates(part.states, wanted), answered) }))
      .filter(({ states }) => !hasNoStates(states))
    const paused = concerned.filter(({ part }) => part.asked.isPaused())
    for (const { states } of paused) ofPostgres = uniteStates(ofPostgres, states)
    const active = concerned.filter((one) => !paused.includes(one))
    const lives = await Promise.allSettled(active.map(({ part }) => part.live()))
    for (const [place, { part, states }] of active.entries()) {
      const known = lives[place]
      if (known?.status !== 'fulfilled') {
        // Its index may lack states, and its candidates would not show that.
        part.asked.fail(request, known?.reason)
        ofPostgres = uniteStates(ofPostgres, states)
        continue
      }
      const live = known.value
      const indexed = intersectStates(states, live.states)
      if (hasNoStates(indexed)) {
        ofPostgres = uniteStates(ofPostgres, states)
        continue
      }
      ofPostgres = uniteStates(ofPostgres, subtractStates(states, indexed))
      asked.push(
        part.asked
          .ask(request, () => askPostgres(indexed))
          .then(({ degraded, ...pool }) => ({
            ...keepStates(pool, live, indexed),
            degraded: degraded ? indexed : NO_STATES,
            isExhausted: degraded,
          })),
      )
    }
    if (!hasNoStates(ofPostgres)) {
      const degraded = ofPostgres
      const found = askPostgres(degraded).then((pool) => ({ ...pool, degraded, isExhausted: true }))
      asked.push(found.catch((error) => askPaused(request, paused, degraded, error)))
    }
    const found = merge(await Promise.all(asked))
    if (failures.length > 0 && failures.length === asked.length) throw failures[0]
    // A trigram search finds similar words at the first level.
    const isLacking = request.filter.lifecycle === 'all' && !found.isExhausted && request.matchLevel === 'strict'
    if (!isLacking || !request.types.includes('parcels')) return found
    const retired = await askPostgres(subtractStates(wanted, found.degraded), {
      ...request,
      types: ['parcels'] as const,
      filter: { ...request.filter, lifecycle: 'retired' as const },
    })
    return merge([found, { ...retired, degraded: NO_STATES, isExhausted: true }])
  }
}

interface Part {
  states: StateSet
  live: () => Promise<LiveStates>
  asked: AskedInstance
}

/**
 * Candidates from the paused instances, when PostgreSQL fails in their place: on an overloaded machine, both are only slow. The states of
 * `wanted` that no instance answers count as degraded.
 *
 * @throws `error` if no instance answers
 */
const askPaused = async (
  request: SearchRequest,
  paused: readonly { part: Part; states: StateSet }[],
  wanted: StateSet,
  error: unknown,
): Promise<Retrieved> => {
  if (!(error instanceof ServiceError)) throw error
  const asked = paused.map(async ({ part, states }) => {
    const [live, pool] = await Promise.all([part.live().catch(() => null), part.asked.askPaused(request)])
    if (live === null || pool === null) return []
    const indexed = intersectStates(states, live.states)
    return [{ indexed, pool: keepStates(pool, live, indexed) }]
  })
  const answers = (await Promise.all(asked)).flat()
  if (answers.length === 0) throw error
  const lacking = answers.reduce((states, { indexed }) => subtractStates(states, indexed), wanted)
  return {
    candidates: answers.flatMap(({ pool }) => pool.candidates),
    isComplete: hasNoStates(lacking) && answers.every(({ pool }) => pool.isComplete),
    degraded: lacking,
    isExhausted: false,
  }
}

/** Without the states that the index has from a former setup. */
const keepStates = ({ candidates, isComplete }: Pool, { isClean }: LiveStates, indexed: StateSet): Pool => ({
  candidates: isClean ? candidates : candidates.filter((candidate) => hasState(indexed, stateOf(candidate))),
  isComplete,
})

/** Candidates that could not be read. */
const UNKNOWN: Pool = { candidates: [], isComplete: false }

const statesOf = ({ filter: { state } }: SearchRequest): StateSet =>
  state === null ? ALL_STATES : { codes: [state], isExcept: false }

const stateOf = (candidate: Pool['candidates'][number]): string =>
  candidate.kind === 'parcel' ? candidate.state : candidate.jurisdiction

const merge = ([first, ...others]: readonly Retrieved[]): Retrieved => {
  if (first === undefined) return { candidates: [], isComplete: true, degraded: NO_STATES, isExhausted: true }
  return others.reduce(
    (merged, other) => ({
      candidates: [...merged.candidates, ...other.candidates],
      isComplete: merged.isComplete && other.isComplete,
      degraded: uniteStates(merged.degraded, other.degraded),
      isExhausted: merged.isExhausted && other.isExhausted,
    }),
    first,
  )
}
