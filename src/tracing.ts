import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { version } from '../package.json'

/**
 * Sends traces to `endpoint` (OTLP over HTTP, https://opentelemetry.io/docs/specs/otlp/): a request, what it asks of Postgres
 * and Meilisearch, a job. Without this call the API of OpenTelemetry does nothing, and costs next to nothing.
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
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return { flush: () => provider.forceFlush(), stop: () => provider.shutdown() }
}
