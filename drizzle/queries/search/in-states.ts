import type { PendingQuery, Row } from 'postgres'
import type { Db } from '../../../core/postgres/database'
import type { StateSet } from '../../../core/state-set'

type Fragment = PendingQuery<Row[]>

/** SQL: whether the state in `column` is in the set. False for null. */
export const inStates = (db: Db, column: Fragment, { codes, isExcept }: StateSet): Fragment =>
  isExcept ? db`${column} <> all(${[...codes]}::text[])` : db`${column} = any(${[...codes]}::text[])`
