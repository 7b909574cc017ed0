import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { findSourceState, insertSource, type NewSource } from '../../drizzle/queries/sources/create-source'
import { checkSourceConfig, checkVendor } from '../scrape/configure-source'

/**
 * Adds an inactive source.
 *
 * @throws ServiceError `bad_input` naming the field; `conflict` if the slug is taken
 */
export const addSource = async (
  tx: Transaction,
  source: Required<NewSource>,
  { allowPrivateSources }: { allowPrivateSources: boolean },
): Promise<void> => {
  checkVendor(source, { allowPrivateSources })
  // A portal's settings are often looked up later. They are checked when the source is activated.
  if (Object.keys(source.vendorConfig).length > 0) checkSourceConfig(source, { allowPrivateSources })
  if (await insertSource(tx, source)) return
  const isRetired = (await findSourceState(tx, source.source)) === 'retired'
  throw new ServiceError(
    'conflict',
    `source: ${source.source} is taken${isRetired ? ' by a retired source, which you can restore' : ''}`,
  )
}
