import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { requestTileBuild } from '../../drizzle/queries/tiles/tile-builds'

/**
 * Has the tiles role build a layer, wherever it runs. What it does is told by events.
 *
 * @throws ServiceError `build_running` when a build runs, or is asked for already
 */
export const buildTilesNow = async (db: Db, layer: string, requestedBy: string): Promise<void> => {
  if (await requestTileBuild(db, layer, requestedBy)) return
  throw new ServiceError('build_running', `a build of the layer ${layer} runs, or is asked for: wait for it to end`)
}
