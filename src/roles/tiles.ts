import { join } from 'node:path'
import { keepTilesBuilt } from '../../tiles-build/keep-built'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import { createPools, type RoleContext } from './role'

const WORDS = {
  check: 'it could not be checked whether tiles are due; retrying',
  build: 'tile build failed; maps use the last archive',
}

/** Keeps the map archive in sync with the parcels. */
export const startTiles = (context: RoleContext) => {
  const { config, components, watchLoop, log } = context
  return keepTilesBuilt({
    databaseUrl: components.databaseUrl,
    openPool: createPools(context),
    store: createTileStore(config.tilesUrl),
    workDir: join(config.dataDir, 'tiles-build'),
    onTurn: watchLoop('tiles', 10 * 60_000),
    onBuilt: (result) => log.info(result, 'tiles built'),
    onFailed: (error, failed) => log.warn({ error: error.message }, WORDS[failed]),
  })
}
