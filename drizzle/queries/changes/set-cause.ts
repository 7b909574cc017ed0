import type { Db } from '../../../core/postgres/database'
import type { Cause } from '../../schema/values'

/** Why a transaction writes parcels, for the change log. Each row says itself which load, crawl or job it is from. */
export type StatedCause = Exclude<Cause, 'operator'>

/** The name of the setting that triggers read. It ends with the transaction. */
export const CAUSE_SETTING = 'parcel_changes.cause'

/** Sets the cause of everything that the rest of the transaction writes. */
export const setCause = async (tx: Db, cause: StatedCause): Promise<void> => {
  await tx`select set_config(${CAUSE_SETTING}, ${cause}, true)`
}
