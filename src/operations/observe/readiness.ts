import { waitAtMost } from '../../../core/concurrency/wait-at-most'
import type { Sql } from '../../../core/postgres/database'
import { probe } from '../../../core/postgres/probe'
import { describeTransient, isConnectionLost, isTransient } from '../../../core/postgres/transient-errors'

export interface Readiness {
  /** Adds a pool, under its name at the server. The process is not ready while the pool does not answer. */
  watchPool: (name: string, sql: Sql) => void
  /** Adds a loop. Call the result after each successful turn. Without a call for `withinMs`, the process is not ready. */
  watchLoop: (name: string, withinMs: number) => () => void
  /** Why the process cannot do its work; null: it can. Takes 2 s at most. */
  findReadinessProblem: () => Promise<string | null>
}

/** How long `findReadinessProblem` waits for a pool. */
const ANSWER_MS = 2_000
/** A pool whose connections are busy answers late. A pool that has not answered for this long is dead. */
const DEAD_AFTER_MS = 10_000

const NO_ANSWER = 'the database does not answer'

interface WatchedPool {
  sql: Sql
  /** The pending query, which resolves with why it failed, and when it was sent. */
  asked: { answer: Promise<string | null>; at: number } | null
  /** Why the last query that ended failed. Null: it succeeded, or there was none. It holds until the next one ends. */
  lastProblem: string | null
}

/** Whether a process does its work: its roles' pools answer, and their loops run. */
export const createReadiness = ({ deadAfterMs = DEAD_AFTER_MS } = {}): Readiness => {
  const pools = new Map<string, WatchedPool>()
  const loops = new Map<string, { turnedAt: number; withinMs: number }>()

  const ask = (pool: WatchedPool): NonNullable<WatchedPool['asked']> => {
    const answer = probe(pool.sql)
      .then(
        () => null,
        (error) => (isConnectionLost(error) || !isTransient(error) ? NO_ANSWER : describeTransient(error)),
      )
      .then((problem) => {
        pool.asked = null
        pool.lastProblem = problem
        return problem
      })
    return { answer, at: performance.now() }
  }

  /** Null: the pool answers, or is late for the first time and may still answer. */
  const findPoolProblem = async (pool: WatchedPool): Promise<string | null> => {
    pool.asked ??= ask(pool)
    const { answer, at } = pool.asked
    const problem = await waitAtMost(Math.min(ANSWER_MS, deadAfterMs), answer)
    if (problem !== 'late') return problem
    return performance.now() - at >= deadAfterMs ? NO_ANSWER : pool.lastProblem
  }

  const findStalledLoop = (): string | null => {
    for (const [name, { turnedAt, withinMs }] of loops) {
      const silentMs = performance.now() - turnedAt
      if (silentMs > withinMs) return `${name}: no progress for ${Math.round(silentMs / 1_000)} s`
    }
    return null
  }

  return {
    watchPool(name, sql) {
      pools.set(name, { sql, asked: null, lastProblem: null })
    },
    watchLoop(name, withinMs) {
      const loop = { turnedAt: performance.now(), withinMs }
      loops.set(name, loop)
      return () => {
        loop.turnedAt = performance.now()
      }
    },
    async findReadinessProblem() {
      const dead = await Promise.all(
        [...pools].map(async ([name, pool]) => {
          const problem = await findPoolProblem(pool)
          return problem === null ? null : `pool ${name}: ${problem}`
        }),
      )
      // Loops stop because their database does not answer, so it is named first.
      return dead.find((problem) => problem !== null) ?? findStalledLoop()
    },
  }
}
