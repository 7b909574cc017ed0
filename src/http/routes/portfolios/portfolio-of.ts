import type { Db } from '../../../../core/postgres/database'
import { isUuid } from '../../../../core/text/uuid'
import { findPortfolio } from '../../../../drizzle/queries/portfolios/portfolios'
import { HttpError } from '../../convention/errors'

/**
 * A portfolio of this owner, with its parcels, as JSON text.
 *
 * @throws HttpError 404
 */
export const portfolioOf = async (db: Db, owner: string, id: string): Promise<string> => {
  const body = isUuid(id) ? await findPortfolio(db, owner, id) : null
  if (body === null) throw new HttpError(404, 'not found')
  return body
}
