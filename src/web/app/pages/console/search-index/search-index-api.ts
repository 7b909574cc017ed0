import { api, ask } from '../../../api/api'

export const getSearchIndex = (signal: AbortSignal) => ask(api.v1.admin['search-index'].get({ fetch: { signal } }))
export type SearchIndex = Awaited<ReturnType<typeof getSearchIndex>>
export type Instance = SearchIndex['instances'][number]
export type Rebuild = NonNullable<SearchIndex['rebuild']>

export const checkSearchIndex = () => ask(api.v1.admin['search-index'].check.post({}))
/** Null: all instances, one after the other. */
export const rebuildSearchIndex = (instance: string | null) =>
  ask(api.v1.admin['search-index'].rebuild.post(instance === null ? {} : { instance }))
