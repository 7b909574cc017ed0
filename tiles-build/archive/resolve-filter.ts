import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { listTileSources, type TileParcelFilter } from '../../drizzle/queries/tiles/tile-parcels'

/**
 * The filter with the sources that its state, county and source select.
 *
 * @throws ServiceError `not_found` when it names a source that does not exist or is in another place
 */
export const resolveFilter = async (db: Db, { filter, sources }: TileParcelFilter): Promise<TileParcelFilter> => {
  const { state, county, source } = filter
  const found = await listTileSources(db, { filter, sources })
  const unknown = [...(sources ?? []), ...(source === null ? [] : [source])].find((slug) => !found?.includes(slug))
  if (unknown !== undefined) {
    const place = [county, state].filter((name) => name !== null).join(', ')
    throw new ServiceError('not_found', `there is no source ${unknown}${place === '' ? '' : ` in ${place}`}`)
  }
  return { filter, sources: found }
}
