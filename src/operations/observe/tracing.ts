import { context, type DiagLogger, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import { atMostEvery } from '../../../core/concurrency/at-most-every'
import { version } from '../../../package.json'
import { sampleAtMost } from './trace-sampler'

/** Maximum number of new traces per second: tracing costs a busy process no more than an idle one. */
const MAX_TRACES_PER_SECOND = 100

/**
 * Sends traces to `endpoint` (OTLP over HTTP, https://opentelemetry.io/docs/specs/otlp/): requests, their queries to PostgreSQL
 * and Meilisearch, jobs. Requests with a sampled trace context are always traced, others are sampled, unless OTEL_TRACES_SAMPLER says otherwise
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Without this call, OpenTelemetry's API
 * does nothing and costs almost nothing.
 */
export const startTracing = (
  endpoint: string,
  role: string,
  log: Pick<Logger, 'warn'>,
): { flush: () => Promise<void>; stop: () => Promise<void> } => {
  diag.setLogger(warnInto(log), DiagLogLevel.WARN)
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'parcel-data-service',
      'service.version': version,
      'service.instance.id': `${role}-${process.pid}`,
    }),
    // If absent, the environment chooses the sampler.
    ...(process.env.OTEL_TRACES_SAMPLER ? {} : { sampler: sampleAtMost(MAX_TRACES_PER_SECOND) }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return {
    flush: () => provider.forceFlush(),
    // If the collector is down, only the last spans are lost.
    stop: () => provider.shutdown().catch(() => {}),
  }
}

/** A collector that is down fails every few seconds. */
const WARNING_INTERVAL_MS = 60_000

/** Logs OpenTelemetry's own problems, such as a collector that does not answer, at most once a minute. */
const warnInto = (log: Pick<Logger, 'warn'>): DiagLogger => {
  const isDue = atMostEvery(WARNING_INTERVAL_MS)
  const warn = (message: string) => {
    if (isDue()) log.warn({ error: message }, 'OpenTelemetry reports a problem: traces may be missing')
  }
  const ignore = () => {}
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
}
