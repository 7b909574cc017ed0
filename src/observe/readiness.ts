import type { Sql } from '../../core/postgres/database'
import { probe } from '../../core/postgres/probe'

export interface Readiness {
  /** A pool of the process, by the name that it has at the server. It is not ready while the pool answers nothing. */
  watchPool: (name: string, sql: Sql) => void
  /** A loop of the process. To be called after each turn that did its work: without one for `withinMs` the process is not ready. */
  watchLoop: (name: string, withinMs: number) => () => void
  /** What keeps the process from its work, in words; null: nothing. Takes 2 s at most. */
  findObstacle: () => Promise<string | null>
}

/** How long `findObstacle` waits for a pool. */
const ANSWER_MS = 2_000
/** A pool whose connections are all at work answers late. One that has not answered for this long is dead. */
const DEAD_AFTER_MS = 10_000

interface WatchedPool {
  sql: Sql
  /** The question that is still open, and since when. */
  asked: { answer: Promise<boolean>; at: number } | null
}

/** Whether a process does its work: its roles' own pools answer, and their loops turn. */
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
    async findObstacle() {
      for (const [name, { turnedAt, withinMs }] of loops) {
        const silentMs = performance.now() - turnedAt
        if (silentMs > withinMs) return `${name}: no turn has succeeded for ${Math.round(silentMs / 1_000)} s`
      }
      const dead = await Promise.all(
        [...pools].map(async ([name, pool]) =>
          (await isDead(pool)) ? `pool ${name}: the database does not answer` : null,
        ),
      )
      return dead.find((obstacle) => obstacle !== null) ?? null
    },
  }
}
