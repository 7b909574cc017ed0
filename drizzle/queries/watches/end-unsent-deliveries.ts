import type { Db } from '../../../core/postgres/database'
import { isSending } from './is-sending'

const UNSENT = 'not sent: the watch is inactive, or its key was revoked'

/**
 * Gives up deliveries that were queued more than `days` ago by watches that send nothing, at most `limit`. Nothing else ends them: only a
 * request can fail. Returns their number.
 */
export const endUnsentDeliveries = async (
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<number> => {
  const { count } = await db`
    update webhook_deliveries set status = 'failed', finished_at = now(), error = coalesce(error, ${UNSENT})
    where status = 'pending' and id in (
      select d.id from watches w join webhook_deliveries d on d.watch_id = w.id
      where not (${isSending(db)}) and d.status = 'pending' and d.queued_at < now() - ${days} * interval '1 day'
      limit ${limit} for update of d skip locked
    )`
  return count
}
