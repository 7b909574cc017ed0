import type { Db } from '../../../../core/postgres/database'
import { NOBODY } from '../../../schema/values'
import type { Requester } from './watchers'

/** Jobs that several callers requested take turns as if they belonged to one extra caller, so that no caller can delay the others. */
const SEVERAL = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The caller whose turn a new job takes: an account, or a key without an account. */
export const orderedBy = (db: Db, requester: Requester | null) => db`${requester?.watcher ?? NOBODY}::uuid`

/** The caller whose turn a queued job `j` takes after it is requested again (`excluded`). */
export const orderedAgainBy = (db: Db) => db`
  case when j.ordered_by in (excluded.ordered_by, ${NOBODY}) then excluded.ordered_by
    when excluded.ordered_by = ${NOBODY} then j.ordered_by
    else ${SEVERAL}::uuid end`
