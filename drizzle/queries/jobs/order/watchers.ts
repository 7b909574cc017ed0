import type { Db, Fragment } from '../../../../core/postgres/database'

/** Who requests jobs. */
export interface Requester {
  /** For display: the first 8 characters of a key, or the short name of an account. */
  name: string
  /** The id (UUID) under which it receives events of its jobs; null: it receives none. */
  watcher: string | null
}

export const watchersOf = (db: Db, requester: Requester | null) =>
  db`${requester === null || requester.watcher === null ? null : [requester.watcher]}::uuid[]`

/** The watchers of both requests, for a job that was requested more than once. */
export const joinedWatchers = (db: Db, watchers: Fragment, more: Fragment) =>
  db`case when ${more} <@ ${watchers} then ${watchers} else ${watchers} || ${more} end`
