import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { findVendor } from '../../drizzle/queries/tuner/concurrency'
import { insertTuningEntries } from '../../drizzle/queries/tuner/tuning-log'
import {
  findPauseOfSource,
  handBackVendor,
  type Pause,
  removePause,
  writePause,
} from '../../drizzle/queries/tuner/vendor-pause'

/**
 * Pauses a vendor: none of its jobs and crawls start, and running ones are requeued. Their attempts do not count. The tuner's target
 * stays as it is. The tuning log records the actor and the reason. Returns the vendor as JSON text, or null if there is no such vendor.
 *
 * @throws ServiceError `bad_input` if `until` is not in the future
 */
export const pauseVendor = async (sql: Sql, vendor: string, pause: Pause): Promise<string | null> => {
  const { reason, until, actor } = pause
  if (until !== null && Date.parse(until) <= Date.now())
    throw new ServiceError('bad_input', 'until must be in the future')
  await sql.begin(async (tx) => {
    const target = await writePause(tx, vendor, pause)
    if (target === null) return
    const end = until === null ? '' : ` until ${new Date(until).toISOString()}`
    await insertTuningEntries(tx, [
      {
        vendor,
        previousTarget: target,
        newTarget: target,
        reason: `paused by ${actor}${end}: ${reason}`,
        signals: {},
        actor,
      },
    ])
  })
  await handBackVendor(sql, vendor)
  return findVendor(sql, vendor)
}

/** Ends a pause. Returns the vendor as JSON text, or null if there is no such vendor. A vendor that is not paused stays as it is. */
export const resumeVendor = async (sql: Sql, vendor: string, actor: string): Promise<string | null> => {
  await sql.begin(async (tx) => {
    const target = await removePause(tx, vendor)
    if (target === null) return
    await insertTuningEntries(tx, [
      { vendor, previousTarget: target, newTarget: target, reason: `resumed by ${actor}`, signals: {}, actor },
    ])
  })
  return findVendor(sql, vendor)
}

/** @throws ServiceError `vendor_paused` */
export const requireUnpaused = async (sql: Sql, source: string): Promise<void> => {
  const pause = await findPauseOfSource(sql, source)
  if (pause === null) return
  const { vendor, reason, until } = pause
  throw new ServiceError('vendor_paused', `${vendor} is paused${until === null ? '' : ` until ${until}`}: ${reason}`)
}
