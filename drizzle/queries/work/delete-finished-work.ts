import type { Db } from '../../../core/postgres/database'
import { isUndo } from './undo-work'

/**
 * Deletes work that ended more than `days` ago, at most `limit` rows, and returns the number of rows. For each of `keptKinds`, the last
 * work with status `done` and all later work stay. If the work belongs to sources, only the last `done` of each source stays. An undo
 * always stays, because later undos must know what was undone.
 */
export const deleteFinishedWork = async (
  db: Db,
  { days, limit, keptKinds }: { days: number; limit: number; keptKinds: readonly string[] },
): Promise<number> => {
  const { count } = await db`
    delete from work where id in (
      select id from work w
      where status in ('done', 'error') and finished_at < now() - ${days} * interval '1 day' and not exists (select from tile_builds b where b.work_id = w.id) and not ${isUndo(db)} and (
        kind <> all(${[...keptKinds]}::text[])
        or w.source is null
          and exists (select from work later where later.kind = w.kind and later.id > w.id and later.status = 'done')
        or w.source is not null and (w.status = 'error' or exists (
          select from work later
          where later.source = w.source and later.id > w.id and later.kind = w.kind and later.status = 'done'
        ))
      ) limit ${limit}
    )`
  return count
}
