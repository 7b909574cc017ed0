import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { version } from '../../package.json'
import { sampleAtMost } from './trace-sampler'

/** Traces that begin here in a second, at most: recording costs a busy process no more than an idle one. */
const MOST_TRACES_PER_SECOND = 100

/**
 * Sends traces to `endpoint` (OTLP over HTTP, https://opentelemetry.io/docs/specs/otlp/): a request, what it asks of Postgres
 * and Meilisearch, a job. What a caller traces is always recorded; of the rest some, unless OTEL_TRACES_SAMPLER says otherwise
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Without this call the API of
 * OpenTelemetry does nothing, and costs next to nothing.
 */
export const startTracing = (
  endpoint: string,
  role: string,
): { flush: () => Promise<void>; stop: () => Promise<void> } => {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'parcel-data-service',
      'service.version': version,
      'service.instance.id': `${role}-${process.pid}`,
    }),
    // Left out, the sampler is what the environment names.
    ...(process.env.OTEL_TRACES_SAMPLER ? {} : { sampler: sampleAtMost(MOST_TRACES_PER_SECOND) }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return {
    flush: () => provider.forceFlush(),
    // A collector that is away takes the last spans with it, and nothing else.
    stop: () => provider.shutdown().catch(() => {}),
  }
}
