import type { Db } from '../../../../core/postgres/database'
import { tieIdempotencyKey } from '../../../../drizzle/queries/service/idempotency-keys'
import type { ScrapeNowRequest } from './request'

/** Another request with this key came first. */
export class KeyTaken extends Error {}

/**
 * Ties the key of a call, if it has one, to a job.
 *
 * @throws KeyTaken when the key is tied to a job other than `former`
 */
export const tieKey = async (
  db: Db,
  { key }: ScrapeNowRequest,
  job: { jobId: string; former: string | null },
): Promise<void> => {
  if (key !== null && !(await tieIdempotencyKey(db, key.request, job))) throw new KeyTaken()
}
