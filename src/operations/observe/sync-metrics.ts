import { Counter, Gauge, type Registry } from 'prom-client'
import { nullInOutage } from '../../../core/postgres/transient-errors'
import { describeStates } from '../../../core/state-set'
import type { SearchSync, SyncEvent, SyncStatus } from '../../../search/sync/sync'

type SyncOf = () => SearchSync | null

/**
 * The sync role's metrics. Lag and depth come from the database, so processes that wait for leadership report them too; the others
 * count what this process did. `onEvent` counts; `watch` sets the sync whose state is read.
 */
export const registerSyncMetrics = (
  registry: Registry,
): { onEvent: (event: SyncEvent) => void; watch: (sync: SearchSync) => void } => {
  let sync: SearchSync | null = null
  const registers = [registry]
  const gauge = (name: string, help: string, read: (from: SearchSync) => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        if (sync === null) return
        // Unknown is not 0.
        this.set((await nullInOutage(Promise.resolve(read(sync)))) ?? Number.NaN)
      },
    })

  gauge('search_sync_lag_seconds', 'Age of the oldest change that is not yet in the search index', (from) =>
    from.lagSeconds(),
  )
  gauge('search_sync_outbox_rows', 'Changed documents that are not yet in the search index', (from) => from.depth())
  gauge('search_sync_leading', '1 in the process that writes to the index', (from) => Number(from.status().leading))
  gauge(
    'search_sync_in_flight_rows',
    'Changes sent to Meilisearch but not yet confirmed',
    (from) => from.status().inFlight,
  )
  gauge(
    'search_rebuild_documents_done',
    'Documents sent by the running rebuild; 0 when none runs',
    (from) => from.status().rebuild?.done ?? 0,
  )
  gauge(
    'search_rebuild_documents_total',
    'Documents to send in the running rebuild; 0 when none runs',
    (from) => from.status().rebuild?.total ?? 0,
  )
  new Counter({
    name: 'search_sync_confirmed_total',
    help: 'Changes confirmed by Meilisearch',
    registers,
    collect() {
      this.reset()
      this.inc(sync?.status().confirmed ?? 0)
    },
  })
  registerInstanceMetrics(registry, () => sync)
  return {
    watch: (started) => {
      sync = started
    },
    onEvent: countEvents(registry),
  }
}

interface InstanceValue {
  status: SyncStatus['instances'][number]
  value: number
}

/** With several instances of Meilisearch: one value for each. */
const registerInstanceMetrics = (registry: Registry, syncOf: SyncOf): void => {
  const ofInstances = (
    name: string,
    help: string,
    read: (from: SearchSync) => InstanceValue[] | Promise<InstanceValue[]>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['instance', 'states'],
      registers: [registry],
      async collect() {
        const sync = syncOf()
        const values = sync === null ? [] : await read(sync)
        this.reset()
        for (const { status, value } of values)
          this.set({ instance: status.instance, states: describeStates(status.states) }, value)
      },
    })
  let measuring: ReturnType<SearchSync['measureInstances']> | null = null
  /** All metrics are collected together, so the two that need the queues share their queries. */
  const measureOnce = (from: SearchSync) => {
    measuring ??= from.measureInstances().finally(() => {
      measuring = null
    })
    return measuring
  }
  ofInstances(
    'search_instance_lag_seconds',
    'With several instances of Meilisearch: age of the oldest change that one does not have yet',
    async (from) =>
      (await measureOnce(from)).map(({ status, queue }) => ({ status, value: queue?.ageSeconds ?? Number.NaN })),
  )
  ofInstances(
    'search_instance_outbox_rows',
    'With several instances of Meilisearch: changed documents that one does not have yet',
    async (from) =>
      (await measureOnce(from)).map(({ status, queue }) => ({ status, value: queue?.depth ?? Number.NaN })),
  )
  ofInstances(
    'search_instance_leading',
    'With several instances of Meilisearch: 1 in the process that writes to its index',
    (from) => {
      const { instances } = from.status()
      return instances.length > 1 ? instances.map((status) => ({ status, value: Number(status.leading) })) : []
    },
  )
}

/** Counts what the sync of this process did. */
const countEvents = (registry: Registry): ((event: SyncEvent) => void) => {
  const registers = [registry]
  const failures = new Counter({
    name: 'search_sync_failures_total',
    help: 'Failed rounds of the sync role, which are retried',
    registers,
  })
  const refused = new Counter({
    name: 'search_sync_refused_total',
    help: 'Documents that Meilisearch refused, skipped until they change',
    registers,
  })
  const rebuildSeconds = new Gauge({
    name: 'search_rebuild_duration_seconds',
    help: 'Duration of the last rebuild',
    registers,
  })
  const driftChecks = new Counter({
    name: 'search_drift_checks_total',
    help: 'Comparisons of index and database, by result',
    labelNames: ['outcome'],
    registers,
  })
  const driftDocuments = new Gauge({
    name: 'search_drift_documents',
    help: 'Documents that differed at the last comparison and were sent again',
    labelNames: ['kind'],
    registers,
  })
  const driftSeconds = new Gauge({
    name: 'search_drift_check_duration_seconds',
    help: 'Duration of the last comparison',
    registers,
  })
  const driftTime = new Gauge({
    name: 'search_drift_check_timestamp_seconds',
    help: 'When the last comparison ended, in seconds since 1970',
    registers,
  })
  for (const outcome of ['clean', 'repaired', 'failed']) driftChecks.inc({ outcome }, 0)
  return (event) => {
    if (event.kind === 'failed') failures.inc()
    else if (event.kind === 'refused') refused.inc()
    else if (event.kind === 'rebuilt') rebuildSeconds.set(event.durationMs / 1000)
    else if (event.kind === 'drift_check_failed') driftChecks.inc({ outcome: 'failed' })
    else if (event.kind === 'drift_checked') {
      driftChecks.inc({ outcome: event.parcels + event.entities === 0 ? 'clean' : 'repaired' })
      driftDocuments.set({ kind: 'parcel' }, event.parcels)
      driftDocuments.set({ kind: 'entity' }, event.entities)
      driftSeconds.set(event.durationMs / 1000)
      driftTime.set(Date.now() / 1000)
    }
  }
}
