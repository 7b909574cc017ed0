import { useQuery } from '@tanstack/react-query'
import { api, ask, at } from './api'

/** Everything that the service knows of a source: its county, its portal or file, its settings. */
export type Source = Awaited<ReturnType<typeof findSource>>

export const findSource = (source: string, signal?: AbortSignal) =>
  ask(api.v1.sources({ source: at(source) }).get({ fetch: signal === undefined ? {} : { signal } }))

export const sourceKey = (source: string) => ['sources', source, 'page']

export const useSource = (source: string) =>
  useQuery({ queryKey: sourceKey(source), queryFn: ({ signal }) => findSource(source, signal) })
