import { LIST_BOUNDS } from '../../core/bounds'
import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { addMatch, countMatches, type MatchInput } from '../../drizzle/queries/matches/matches'
import { orderWork } from '../../drizzle/queries/work/order-work'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'

/**
 * Queues the comparison of a list with the parcels. Returns the id of the match, which is the id of its work.
 *
 * @throws ServiceError `conflict` if the owner has too many lists
 */
export const orderMatch = async (tx: Transaction, input: MatchInput, requestedBy: string): Promise<string> => {
  if ((await countMatches(tx, input.owner)) >= LIST_BOUNDS.most) {
    throw new ServiceError('conflict', `you have ${LIST_BOUNDS.most} lists: delete one, or wait until one expires`)
  }
  const { id } = await orderWork(tx, { kind: WORK_KINDS.match, subject: null, payload: {}, requestedBy })
  await addMatch(tx, id, input)
  return id
}
