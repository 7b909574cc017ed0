import type { Db, Fragment } from '../../../core/postgres/database'
import type { StateSet } from '../../../core/state-set'

/** SQL: whether the state in `column` is in the set. False for null. */
export const inStates = (db: Db, column: Fragment, { codes, isExcept }: StateSet): Fragment =>
  isExcept ? db`${column} <> all(${[...codes]}::text[])` : db`${column} = any(${[...codes]}::text[])`
