import type { Sql } from '../../../core/postgres/database'
import { readCompleteUntil } from '../../../drizzle/queries/changes/read-complete-until'
import { callerOf } from './caller-of'

/**
 * The caller of a list of parcels. With `changed_since`, also the time up to which the list will be complete, also if a replica answers.
 */
export const pollerOf = async (
  primary: Sql,
  request: Request,
  query: { changed_since?: string | undefined },
): Promise<{ caller: ReturnType<typeof callerOf>; completeUntil: string | undefined }> => {
  const caller = callerOf(request)
  if (query.changed_since === undefined) return { caller, completeUntil: undefined }
  const { time, version } = await readCompleteUntil(primary)
  return {
    caller: { ...caller, atLeast: () => Math.max(version, caller.atLeast?.() ?? 0) },
    completeUntil: time,
  }
}
