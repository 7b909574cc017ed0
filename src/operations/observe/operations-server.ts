import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { refuseAddress } from '../../../core/network/refuse-address'

export interface OperationsOptions {
  port: number
  host: string
  /** Why the process cannot do its work; null when it can. */
  findReadinessProblem: () => Promise<string | null>
  log: Pick<Logger, 'error'>
}

/**
 * Endpoints for operators and health checks, on a separate port that callers never see: `GET /metrics` as Prometheus text,
 * `GET /live` (200 while the process runs its event loop), `GET /ready` (200 once the roles have started, the database
 * answers through their pools, and their loops run; else 503 with the reason).
 *
 * @throws ServiceError `bad_config` when the port is taken, or the host is not of this machine
 */
export const serveOperations = (registry: Registry, { port, host, findReadinessProblem, log }: OperationsOptions) => {
  const metrics = async (): Promise<Response> =>
    new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
  const ready = async (): Promise<Response> => {
    const obstacle = await findReadinessProblem()
    return obstacle === null
      ? new Response('ready\n')
      : new Response(`${obstacle}\n`, { status: 503, headers: { 'retry-after': '5' } })
  }
  try {
    const server = Bun.serve({
      port,
      hostname: host,
      routes: {
        '/metrics': { GET: metrics },
        '/live': { GET: () => new Response('live\n') },
        '/ready': { GET: ready },
      },
      fetch: () => new Response('not found\n', { status: 404 }),
      // Gauges report nothing during an outage of the database, so an error is a bug.
      error: (error) => {
        log.error({ err: error }, 'the operations port failed to respond')
        return new Response('internal error\n', { status: 500 })
      },
    })
    return { port: server.port ?? port, stop: () => server.stop(true) }
  } catch (error) {
    const otherPort = 'set a different METRICS_PORT for each process'
    return refuseAddress(error, { port, host, hostVariable: 'METRICS_HOST', otherPort })
  }
}
