import { api, ask } from '../../api/api'

export const getTiles = (signal: AbortSignal) => ask(api.v1.admin.tiles.get({ query: {}, fetch: { signal } }))
export const buildTiles = () => ask(api.v1.admin.tiles.build.post())
