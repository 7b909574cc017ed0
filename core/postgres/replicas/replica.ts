import { waitAtMost } from '../../concurrency/wait-at-most'
import { ServiceError } from '../../service-error'
import { connectDatabase, type PoolOptions, type Sql } from '../database'
import { readReplayPosition, type WalPosition } from './positions'
import type { ReadQuery } from './reads'

/** What the primary had reached at or before a time of this process's clock (`performance.now`). */
export interface Mark {
  at: number
  /** Dataset version. */
  version: number
  position: WalPosition
}

export interface ReplicaState {
  /** Host and port. */
  name: string
  inRotation: boolean
  /** Why it is not in rotation. Null: it is. */
  problem: string | null
  /** How far it is behind the newest known state of the primary; 0 if it has replayed everything. Null: unknown. */
  lagS: number | null
  /** Reads that were sent to it. */
  reads: number
  /** Reads that failed here and were repeated on the primary. `reads` includes them. */
  repeated: number
}

const CHECK_EVERY_MS = 500
/** Pause after a check that found the replica behind. Most of the time it only needs some milliseconds. */
const CHECK_AGAIN_MS = 200
/** A replica that takes longer to answer a check gets no new reads. */
const SLOW_MS = 750
/** After this time without an answer it counts as down, and its connections are closed. */
const AWAY_MS = 1_500

/** The `problem` of a replica that was not compared with the primary yet. */
export const NOT_COMPARED = 'not compared with the primary yet'

/**
 * A streaming replica and how much it has replayed. `marks` are those of the primary, oldest first.
 *
 * A replica has all commits up to a mark as soon as it has replayed the log up to the mark's position. So the lag is measured with this
 * process's clock alone, and a primary without writes causes no lag.
 */
export const createReplica = (
  url: string,
  { marks, maxLagMs, onChecked }: { marks: readonly Mark[]; maxLagMs: number; onChecked: () => void },
) => {
  const name = new URL(url).host
  const pools = new Map<PoolOptions, Sql>()
  let observer: Sql | null = null
  const followedSince = performance.now()
  let askedAt: number | null = null
  let replayed: { position: WalPosition; at: number } | null = null
  let reached: Mark | null = null
  let fault: string | null = NOT_COMPARED
  let inProgress = 0
  let reads = 0
  let repeated = 0
  let timer: Timer | undefined
  let stopped = false

  /** Closes all connections. Reads in progress fail with a lost connection. */
  const disconnect = async (): Promise<void> => {
    const open = [observer, ...pools.values()]
    observer = null
    pools.clear()
    await Promise.all(open.map((sql) => sql?.end({ timeout: 0 })))
  }

  const check = async (): Promise<void> => {
    askedAt = performance.now()
    observer ??= connectDatabase(url, { max: 1, applicationName: 'replica-check', patience: 'background' })
    const position = await waitAtMost(AWAY_MS, readReplayPosition(observer))
    if (position === 'late') throw new ServiceError('server_unavailable', `no answer within ${AWAY_MS / 1_000} s`)
    if (position === null) throw new ServiceError('server_unavailable', 'the server is not a replica')
    // The mark was made after the last check, so a replica of this primary cannot have been ahead of it.
    const newest = marks.at(-1)
    if (replayed !== null && newest !== undefined && newest.at > replayed.at && replayed.position > newest.position) {
      replayed = null
      throw new ServiceError('server_unavailable', 'the server is ahead of the primary: it follows another one')
    }
    replayed = { position, at: performance.now() }
    reached = marks.findLast((mark) => mark.position <= position) ?? reached
    fault = null
  }

  const checkAgain = async (): Promise<void> => {
    try {
      await check()
    } catch (error) {
      fault = error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error)
      reached = null
      await disconnect()
    }
    askedAt = null
    if (stopped) return
    onChecked()
    const isBehind = fault === null && reached !== marks.at(-1)
    timer = setTimeout(checkAgain, isBehind ? CHECK_AGAIN_MS : CHECK_EVERY_MS)
  }

  const findProblem = (): string | null => {
    const now = performance.now()
    if (fault !== null) return fault
    if (reached === null && now - followedSince < maxLagMs) return NOT_COMPARED
    if (reached === null || now - reached.at > maxLagMs) return `more than ${maxLagMs / 1_000} s behind`
    return askedAt !== null && now - askedAt > SLOW_MS ? 'slow to answer' : null
  }

  void checkAgain()
  return {
    isInRotation: () => findProblem() === null,
    /** The replica has every change up to this version. */
    version: () => reached?.version ?? 0,
    /** The replica has everything that was committed before this time. */
    reachedAt: () => reached?.at ?? Number.NEGATIVE_INFINITY,
    inProgress: () => inProgress,
    reads: () => reads,
    state: (): ReplicaState => {
      const newest = marks.at(-1)
      const lagS = reached === null || newest === undefined ? null : Math.max(0, newest.at - reached.at) / 1_000
      const problem = findProblem()
      return { name, inRotation: problem === null, problem, lagS, reads, repeated }
    },
    read: async <Result>(pool: PoolOptions, query: ReadQuery<Result>): Promise<Result> => {
      const sql = pools.get(pool) ?? connectDatabase(url, pool)
      pools.set(pool, sql)
      reads++
      inProgress++
      try {
        return await query(sql, reached?.version ?? 0)
      } finally {
        inProgress--
      }
    },
    noteRepeated: (): void => {
      repeated++
    },
    stop: async (): Promise<void> => {
      stopped = true
      clearTimeout(timer)
      await disconnect()
    },
  }
}

export type Replica = ReturnType<typeof createReplica>
