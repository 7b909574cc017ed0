import type { Db, Fragment } from '../../../core/postgres/database'

/**
 * SQL: an id of the time `shift` from now, to compare ids with. It is a subquery, which PostgreSQL computes once. It would compute the
 * function for each row, so it could not use the index, and would read the whole table.
 */
export const idAt = (db: Db, shift: Fragment) => db`(select uuidv7(${shift}))`
