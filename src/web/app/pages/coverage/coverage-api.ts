import { useQuery } from '@tanstack/react-query'
import { api, ask } from '../../api/api'
import { repeatEvery } from '../../api/queries'

/** The counties of this service. Public: no key is needed. */
export const useCoverage = () =>
  useQuery({
    queryKey: ['coverage'],
    // Not from the browser's cache: after a load, the figures are new.
    queryFn: ({ signal }) => ask(api.v1.coverage.get({ fetch: { signal, cache: 'no-cache' } })),
    staleTime: 60_000,
    refetchInterval: repeatEvery(60_000),
  })

export type Coverage = NonNullable<ReturnType<typeof useCoverage>['data']>
/** What the service has of a county from one source. */
export type CoveredSource = Coverage['sources'][number]
