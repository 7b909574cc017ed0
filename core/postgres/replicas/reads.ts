import type { Sql } from '../database'

/** Who reads. This decides which servers are current enough. */
export interface Reader {
  /** The caller (fair-turns.ts). Null: nobody who writes. */
  id: string | null
  /** The dataset version that the answer must have at least. */
  atLeast?: () => number
  /** The answer must include everything that was committed before this time (`performance.now`). */
  since?: number
}

/**
 * Reads only from `db`: if a replica fails, it is called again with the primary. `db` has every change of parcels up to `version`.
 * Null: this is the primary; read its watermark.
 */
export type ReadQuery<Result> = (db: Sql, version: number | null) => Promise<Result>

/** Reads that may lag a few seconds behind the primary, unless the reader wrote or has seen something newer. */
export interface Reads {
  run: <Result>(reader: Reader, query: ReadQuery<Result>) => Promise<Result>
}

/** The reads of one reader. */
export type Read = <Result>(query: ReadQuery<Result>) => Promise<Result>

/** For data that does not depend on what a caller wrote. */
export const ANYBODY: Reader = { id: null }

/** Reads without replicas. */
export const readPrimary = (primary: Sql): Reads => ({ run: (_, query) => query(primary, null) })
