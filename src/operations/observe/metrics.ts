import { collectDefaultMetrics, Registry } from 'prom-client'

/** Metrics of Node's engine for which Bun reports a constant, or a number with another meaning. */
const MEANINGLESS = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_gc_duration_seconds',
  'nodejs_heap_space_size_available_bytes',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_version_info',
  'process_heap_bytes',
]

/** A process's registry, to which its roles add their metrics. It already has those of the process: memory, CPU, event loop delay. */
export const createMetrics = (): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MEANINGLESS) registry.removeSingleMetric(name)
  return registry
}
