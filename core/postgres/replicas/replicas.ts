import { batchLookups } from '../../concurrency/batch-lookups'
import type { PoolOptions, Sql } from '../database'
import { isCollision, isConnectionLost, isSessionRefused } from '../transient-errors'
import { readPrimaryPosition } from './positions'
import { type Reader, type Reads, readPrimary } from './reads'
import { listRecentWriters, noteWriter } from './recent-writers'
import { createReplica, type Mark, NOT_COMPARED, type Replica, type ReplicaState } from './replica'

/** The servers for reads that may lag: the replicas in rotation, and the primary for all others. */
export interface Replicas {
  /** Reads with a pool on each replica, and from `primary` when no replica is current enough. */
  openReads: (primary: Sql, pool: PoolOptions) => Reads
  /** The dataset version that every replica in rotation has. Null: there is none. */
  version: () => number | null
  /**
   * Makes this caller read only from the primary for some seconds, in every process. Call it after the write is committed and before
   * the caller gets the response. Null: there are no replicas.
   */
  noteWrite: ((caller: string) => Promise<void>) | null
  states: () => ReplicaState[]
  /** Reads of `openReads` that the primary answered. */
  primaryReads: () => number
  stop: () => Promise<void>
}

const MARK_EVERY_MS = 1_000
/** A replica that is further behind gets no reads. */
export const MAX_LAG_MS = 5_000

/**
 * After a write, a caller reads from the primary for this many times the allowed lag. Once would be enough if all clocks ran at the same
 * speed. Four times is longer than the pause between two heartbeats of an event stream, and each heartbeat counts as a write.
 */
const PINNED_LAGS = 4

/**
 * Follows the replicas at `urls`. Each second, one query to the primary and two to each replica measure their progress.
 *
 * A replica is in rotation while it answers and has everything that was committed `maxLagMs` ago. A read goes to the one with the fewest reads in
 * progress. If it fails because of the replica, it is repeated on the primary.
 */
export const followReplicas = (
  urls: readonly string[],
  primary: Sql,
  { maxLagMs = MAX_LAG_MS, onChange = () => {} }: { maxLagMs?: number; onChange?: (state: ReplicaState) => void } = {},
): Replicas => {
  if (urls.length === 0) return NO_REPLICAS
  const pinnedMs = PINNED_LAGS * maxLagMs
  const marks: Mark[] = []
  const hasWritten = batchLookups((callers: string[]) => listRecentWriters(primary, callers, { withinMs: pinnedMs }))
  let primaryReads = 0
  let timer: Timer | undefined
  let stopped = false

  const mark = async (): Promise<void> => {
    const at = performance.now()
    try {
      const reached = await readPrimaryPosition(primary)
      marks.push({ at, ...reached })
      while (marks.length > 1 && at - (marks[0]?.at ?? at) > maxLagMs) marks.shift()
    } catch {
      // Without new marks, all replicas leave the rotation. Requests report that the primary is down.
    }
    if (!stopped) timer = setTimeout(mark, MARK_EVERY_MS)
  }
  void mark()

  const replicas = urls.map((url): Replica => {
    let wasInRotation: boolean | null = null
    const replica: Replica = createReplica(url, {
      marks,
      maxLagMs,
      onChecked: () => {
        const state = replica.state()
        if (state.problem === NOT_COMPARED) return
        if (state.inRotation !== wasInRotation) onChange(state)
        wasInRotation = state.inRotation
      },
    })
    return replica
  })
  const listInRotation = () => replicas.filter((replica) => replica.isInRotation())

  const needsPrimary = async ({ id }: Reader): Promise<boolean> =>
    listInRotation().length === 0 || (id !== null && (await hasWritten(id)) === true)

  /** Null: none is current enough. Many requests can arrive together, so the read must begin before the next choice. */
  const choose = ({ atLeast, since = Number.NEGATIVE_INFINITY }: Reader): Replica | null => {
    const version = atLeast?.() ?? 0
    const current = listInRotation().filter((one) => one.version() >= version && one.reachedAt() >= since)
    return current.sort(byLoad)[0] ?? null
  }

  return {
    openReads: (sql, pool) => ({
      run: async (reader, query) => {
        const replica = (await needsPrimary(reader)) ? null : choose(reader)
        if (replica !== null) {
          try {
            return await replica.read(pool, query)
          } catch (error) {
            if (!isReplicasFault(error)) throw error
            replica.noteRepeated()
          }
        }
        primaryReads++
        return query(sql, null)
      },
    }),
    version: () => {
      const versions = listInRotation().map((replica) => replica.version())
      return versions.length === 0 ? null : Math.min(...versions)
    },
    noteWrite: (caller) => noteWriter(primary, caller),
    states: () => replicas.map((replica) => replica.state()),
    primaryReads: () => primaryReads,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await Promise.all(replicas.map((replica) => replica.stop()))
    },
  }
}

/** Fewest reads in progress, then fewest reads so far, so that idle replicas take turns. */
const byLoad = (one: Replica, other: Replica): number =>
  one.inProgress() - other.inProgress() || one.reads() - other.reads()

/**
 * The connection was lost or refused, or the statement was cancelled because it blocked what the replica had to replay (40001, 40P01;
 * https://www.postgresql.org/docs/18/hot-standby.html#HOT-STANDBY-CONFLICT). A statement that took too long (57014) would take as long
 * on the primary.
 */
const isReplicasFault = (error: unknown): boolean =>
  isConnectionLost(error) || isSessionRefused(error) || isCollision(error)

const NO_REPLICAS: Replicas = {
  openReads: (primary) => readPrimary(primary),
  version: () => null,
  noteWrite: null,
  states: () => [],
  primaryReads: () => 0,
  stop: async () => {},
}
