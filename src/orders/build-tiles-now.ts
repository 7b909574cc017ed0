import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { type RequestedTiles, requestTileBuild } from '../../drizzle/queries/tiles/requested-tiles'
import { resolveFilter } from '../../tiles-build/archive/resolve-filter'

/**
 * Requests a build of a layer from the tiles role, in any process. Events report its progress.
 *
 * @throws ServiceError `build_running` if a build of the layer is already requested or running, `not_found` if the filter names a source
 *   that does not exist
 */
export const buildTilesNow = async (db: Db, { layer, filter }: RequestedTiles, requestedBy: string): Promise<void> => {
  await resolveFilter(db, { filter, sources: null })
  if (await requestTileBuild(db, layer, requestedBy, filter)) return
  throw new ServiceError(
    'build_running',
    `a build of the layer ${layer} is already requested or running: wait until it ends`,
  )
}
