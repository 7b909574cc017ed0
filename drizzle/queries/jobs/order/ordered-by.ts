import type { Db } from '../../../../core/postgres/database'
import { NOBODY } from '../../../schema/scrape-jobs'
import type { Requester } from './watchers'

/** Whose turn jobs take that several callers asked for: a turn of its own, which none of them can keep from the others. */
const SEVERAL = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Whose turn a new job takes: its caller's account or, where it has none, its key. */
export const orderedBy = (db: Db, requester: Requester | null) => db`${requester?.watcher ?? NOBODY}::uuid`

/** Whose turn a queued job `j` takes once it is asked for again (`excluded`). */
export const orderedAgainBy = (db: Db) => db`
  case when j.ordered_by in (excluded.ordered_by, ${NOBODY}) then excluded.ordered_by
    when excluded.ordered_by = ${NOBODY} then j.ordered_by
    else ${SEVERAL}::uuid end`
