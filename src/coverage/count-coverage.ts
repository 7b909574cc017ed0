import { runEach } from '../../core/concurrency/run-each'
import type { Sql } from '../../core/postgres/database'
import type { Lead } from '../../core/postgres/leader/lead'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { listSourcesToCount } from '../../drizzle/queries/coverage/list-sources-to-count'
import { storeEmptySources } from '../../drizzle/queries/coverage/store-empty-sources'
import { countNewChanges } from './count-new-changes'
import { countSource } from './count-source'

/** The part of a lead that counting needs. */
type CountLead = Pick<Lead, 'begin' | 'isAtWork'>

/** Updates the tallies of coverage: changes by day, and the parcels of each source that is due. Ends early when `isStopped`. */
export const countCoverage = async (sql: Sql, lead: CountLead, isStopped: () => boolean): Promise<void> => {
  await countNewChanges((step) => lead.begin(sql, step), isStopped)
  const version = await readWatermark(sql)
  await lead.begin(sql, (tx) => storeEmptySources(tx, version))
  await runEach(await listSourcesToCount(sql), async (source) => {
    if (isStopped()) return
    await countSource(sql, source, { begin: (store) => lead.begin(sql, store), onPiece: lead.isAtWork })
  })
}
