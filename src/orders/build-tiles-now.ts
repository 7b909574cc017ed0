import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { requestTileBuild } from '../../drizzle/queries/tiles/tile-builds'

/**
 * Requests a build of a layer from the tiles role, in any process. Events report its progress.
 *
 * @throws ServiceError `build_running` if a build is already requested or running
 */
export const buildTilesNow = async (db: Db, layer: string, requestedBy: string): Promise<void> => {
  if (await requestTileBuild(db, layer, requestedBy)) return
  throw new ServiceError(
    'build_running',
    `a build of the layer ${layer} is already requested or running: wait until it ends`,
  )
}
