import { type Attributes, type Span, SpanStatusCode, trace } from '@opentelemetry/api'

const tracer = trace.getTracer('parcel-data-service')

export const startSpan = (name: string, attributes: Attributes = {}): Span => tracer.startSpan(name, { attributes })

export const failSpan = (span: Span, error: unknown): void => {
  span.recordException(error instanceof Error ? error : String(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Runs `work` inside a span of a trace (OpenTelemetry); where no traces are sent this is a plain call. */
export const withSpan = <Result>(name: string, attributes: Attributes, work: () => Promise<Result>): Promise<Result> =>
  tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work()
    } catch (error) {
      failSpan(span, error)
      throw error
    } finally {
      span.end()
    }
  })
