import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { findRunningLoad } from '../../drizzle/queries/loads/source-turns'
import { describeRunningLoad } from '../loads/describe-load'

/** @throws ServiceError `conflict` while a load or a crawl of the source is running; its message ends with `advice` */
export const refuseRunningLoad = async (tx: Transaction, source: string, advice: string): Promise<void> => {
  const running = await findRunningLoad(tx, source)
  if (running === null) return
  const what = describeRunningLoad(source, running.kind)
  throw new ServiceError('conflict', `${what} is running (work ${running.id}): ${advice}`)
}
