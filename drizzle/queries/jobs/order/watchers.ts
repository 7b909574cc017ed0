import type { PendingQuery, Row } from 'postgres'
import type { Db } from '../../../../core/postgres/database'

/** Who asks for jobs. */
export interface Requester {
  /** As it is shown: the first 8 characters of a key, or a person. */
  name: string
  /** By which it is told what becomes of them (UUID); null: it is not told. */
  watcher: string | null
}

export const watchersOf = (db: Db, requester: Requester | null) =>
  db`${requester === null || requester.watcher === null ? null : [requester.watcher]}::uuid[]`

type Fragment = PendingQuery<Row[]>

/** Those of both, where a job was asked for more than once: all who asked are told. */
export const joinedWatchers = (db: Db, watchers: Fragment, more: Fragment) =>
  db`case when ${more} <@ ${watchers} then ${watchers} else ${watchers} || ${more} end`
