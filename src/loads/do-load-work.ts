import type { Sql } from '../../core/postgres/database'
import { isTransient } from '../../core/postgres/transient-errors'
import { endLoad } from '../../drizzle/queries/loads/end-load'
import { lockLoad, type StoredLoad } from '../../drizzle/queries/loads/stored-load'
import { type ClaimedWork, payloadOf } from '../../drizzle/queries/work/claim-work'
import { WorkLost } from '../../drizzle/queries/work/hold-work'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import { applyLoad } from './apply-load'
import { undo } from './undo'

interface LoadLog {
  info: (about: object, message: string) => void
  warn: (about: object, message: string) => void
}

/**
 * Does work on a load: applies it, undoes it, or continues for a process that stopped. In the last case, a load that was compared is
 * completed; any other is discarded. Returns the result of the work.
 */
export const doLoadWork = async (
  sql: Sql,
  work: ClaimedWork,
  { signal, log }: { signal: AbortSignal; log: LoadLog },
): Promise<Record<string, unknown>> => {
  const { action, cause_id: causeId } = payloadOf(WORK_KINDS.load, work)
  const about = { load: causeId, source: work.source, work: work.id }
  if (action === 'undo') {
    const result = await undo(sql, { causeId, source: work.source, work, cursor: work.cursor, signal })
    log.info({ ...about, ...result, kept_first: undefined }, 'a load was undone')
    return { status: 'undone', ...result }
  }
  const load = await openLoad(sql, causeId)
  if (load === null || load.status !== 'applying') {
    log.warn({ ...about, status: load?.status }, 'the process that read a load stopped; the load was not continued')
    return load === null ? {} : { status: load.status }
  }
  try {
    await applyLoad(sql, { ...load, work }, { signal })
  } catch (error) {
    const isOver = signal.aborted || isTransient(error) || error instanceof WorkLost
    if (!isOver) await sql.begin((tx) => endLoad(tx, load, 'failed', String(error)))
    throw error
  }
  log.info(about, 'a load was applied')
  return { status: 'applied' }
}

/** The load of the work. If its process stopped before it was completely read, it is discarded or failed. */
const openLoad = (sql: Sql, id: string): Promise<StoredLoad | null> =>
  sql.begin(async (tx) => {
    const load = await lockLoad(tx, id)
    const isUnread = load?.isJudged === false && (load.status === 'staging' || load.status === 'applying')
    if (load === null || !isUnread) return load
    const status = load.status === 'staging' ? 'discarded' : 'failed'
    await endLoad(tx, load, status, 'the process that read its file stopped')
    return { ...load, status }
  }) as Promise<StoredLoad | null>
