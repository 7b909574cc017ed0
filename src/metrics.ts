import { collectDefaultMetrics, Registry } from 'prom-client'
import { ServiceError } from './service-error'

/** Metrics of Node's engine that Bun answers with a constant, or with a figure that means something else. */
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

/** A process's one registry: its roles add their metrics to it. It holds those of the process: memory, CPU, event-loop delay. */
export const createMetrics = (): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MEANINGLESS) registry.removeSingleMetric(name)
  return registry
}

/**
 * `GET /metrics` as Prometheus text, on a port of its own: what operators read is not for callers.
 *
 * @throws ServiceError `bad_config` when the port is taken
 */
export const serveMetrics = (registry: Registry, { port, host }: { port: number; host: string }) => {
  const answer = async (): Promise<Response> =>
    new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
  try {
    const server = Bun.serve({
      port,
      hostname: host,
      routes: { '/metrics': { GET: answer } },
      fetch: () => new Response('not found\n', { status: 404 }),
      error: () => new Response('internal error\n', { status: 500 }),
    })
    return { port: server.port ?? port, stop: async () => server.stop(true) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new ServiceError(
      'bad_config',
      `port ${port} of ${host} is taken: set METRICS_PORT to another one for each process`,
      { cause: error },
    )
  }
}
