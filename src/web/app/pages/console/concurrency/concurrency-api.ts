import { useQuery } from '@tanstack/react-query'
import { api, ask, at } from '../../../api/api'
import { repeatEvery } from '../../../api/queries'

const REFETCH_MS = 15_000

export const useVendors = () =>
  useQuery({
    queryKey: ['concurrency'],
    queryFn: ({ signal }) => ask(api.v1.admin.concurrency.get({ query: {}, fetch: { signal } })),
    refetchInterval: repeatEvery(REFETCH_MS),
  })

export type Vendor = NonNullable<ReturnType<typeof useVendors>['data']>['vendors'][number]

export type VendorChange = Partial<
  Pick<
    Vendor,
    | 'min_concurrency'
    | 'max_concurrency'
    | 'target_concurrency'
    | 'mode'
    | 'slow_threshold_ms'
    | 'fast_threshold_ms'
    | 'step_size'
    | 'signal_window_minutes'
  >
>

export const changeVendor = (vendor: string, change: VendorChange) =>
  ask(api.v1.admin.concurrency({ vendor: at(vendor) }).patch(change))

export const pauseVendor = (vendor: string, pause: { reason: string; until: string | null }) =>
  ask(api.v1.admin.concurrency({ vendor: at(vendor) }).pause.put(pause))
export const resumeVendor = (vendor: string) => ask(api.v1.admin.concurrency({ vendor: at(vendor) }).pause.delete())

export const runTuner = () => ask(api.v1.admin.concurrency['run-tuner'].post())

export const useTuningLog = (vendor: string) =>
  useQuery({
    queryKey: ['concurrency', vendor, 'log'],
    queryFn: ({ signal }) => ask(api.v1.admin['tuning-log'].get({ query: { vendor, limit: 200 }, fetch: { signal } })),
    refetchInterval: repeatEvery(REFETCH_MS),
  })

export const useVendorHistory = (vendor: string, hours: number) =>
  useQuery({
    queryKey: ['concurrency', vendor, 'history', hours],
    queryFn: ({ signal }) =>
      ask(api.v1.admin.concurrency({ vendor: at(vendor) }).history.get({ query: { hours }, fetch: { signal } })),
    refetchInterval: repeatEvery(REFETCH_MS),
  })
