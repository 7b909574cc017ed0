import type { Db, Fragment } from '../../../core/postgres/database'

/**
 * Maximum stored size of the changes of one page. They are compressed: as text, lists of tax bills or sales are two to fifteen times as
 * large. The first change of a page can exceed it.
 */
export const MAX_CHANGES_BYTES = 1024 * 1024

/** The changes of `page` without those after its first `MAX_CHANGES_BYTES`, and with `found`, how many there were. */
export const cutChanges = (db: Db, page: Fragment, order: Fragment) => db`(
  select * from (
    select page.*, count(*) over () as found,
      sum(pg_column_size(page.changes)) over (order by ${order}) - pg_column_size(page.changes) as bytes_before
    from ${page}
  ) measured where bytes_before <= ${MAX_CHANGES_BYTES}) page`
