import type { Db } from '../../../core/postgres/database'
import type { Cause } from '../../schema/parcels/parcel-changes'

/** For the change log: why the parcels of a transaction are written. Each row says for itself which load, crawl or job it is from. */
export type StatedCause = Exclude<Cause, 'operator'>

/** The name of the setting that triggers read. It ends with the transaction. */
export const CAUSE_SETTING = 'parcel_changes.cause'

/** States the cause of what the rest of the transaction writes. */
export const setCause = async (tx: Db, cause: StatedCause): Promise<void> => {
  await tx`select set_config(${CAUSE_SETTING}, ${cause}, true)`
}
