import { api, ask } from '../../api/api'

export const getSearchIndex = (signal: AbortSignal) => ask(api.v1.admin['search-index'].get({ fetch: { signal } }))
export type SearchIndex = Awaited<ReturnType<typeof getSearchIndex>>
export type Rebuild = NonNullable<SearchIndex['rebuild']>

export const checkSearchIndex = () => ask(api.v1.admin['search-index'].check.post())
export const rebuildSearchIndex = () => ask(api.v1.admin['search-index'].rebuild.post())
