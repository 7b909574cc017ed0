import type { Sql } from '../../core/postgres/database'
import { probe } from '../../core/postgres/probe'

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

interface WatchedPool {
  sql: Sql
  /** The pending query, and when it was sent. */
  asked: { answer: Promise<boolean>; at: number } | null
}

/** Whether a process does its work: its roles' pools answer, and their loops run. */
export const createReadiness = ({ deadAfterMs = DEAD_AFTER_MS } = {}): Readiness => {
  const pools = new Map<string, WatchedPool>()
  const loops = new Map<string, { turnedAt: number; withinMs: number }>()

  const ask = (pool: WatchedPool): NonNullable<WatchedPool['asked']> => {
    const answer = probe(pool.sql)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        pool.asked = null
      })
    return { answer, at: performance.now() }
  }

  const isDead = async (pool: WatchedPool): Promise<boolean> => {
    pool.asked ??= ask(pool)
    const { answer, at } = pool.asked
    const isAnswered = await Promise.race([answer, Bun.sleep(Math.min(ANSWER_MS, deadAfterMs)).then(() => null)])
    return isAnswered === null ? performance.now() - at >= deadAfterMs : !isAnswered
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
      pools.set(name, { sql, asked: null })
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
        [...pools].map(async ([name, pool]) =>
          (await isDead(pool)) ? `pool ${name}: the database does not answer` : null,
        ),
      )
      // Loops stop because their database does not answer, so it is named first.
      return dead.find((problem) => problem !== null) ?? findStalledLoop()
    },
  }
}
