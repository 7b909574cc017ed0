import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { codeOf } from '../error-code'

const tracer = trace.getTracer('parcel-data-service')

export interface SpanOptions {
  kind?: SpanKind
  /** The `traceparentNow` of the request that caused this work. The span links to it. */
  cause?: string | null
}

export const startSpan = (name: string, attributes: Attributes = {}): Span => tracer.startSpan(name, { attributes })

/** Records only the kind of an error: its message may contain a statement's values or a page's URL. The log has the message. */
export const failSpan = (span: Span, error: unknown): void => {
  span.setAttribute('error.type', kindOf(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error
  return codeOf(error) ?? error.name
}

/**
 * Runs `work` inside an OpenTelemetry span. Without tracing, or if the current trace is not recorded, it only calls `work`. Names and
 * attributes are from a bounded set and contain nothing from a caller's request.
 */
export const withSpan = <Result>(
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<Result>,
  { kind, cause = null }: SpanOptions = {},
): Promise<Result> => {
  const around = trace.getActiveSpan()
  if (around?.isRecording() === false) return work(around)
  const options = { attributes, ...(kind !== undefined && { kind }), ...(cause !== null && { links: linksTo(cause) }) }
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      failSpan(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** The current span as a W3C Trace Context `traceparent`; null if none is recorded. */
export const traceparentNow = (): string | null => {
  if (trace.getActiveSpan()?.isRecording() !== true) return null
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent ?? null
}

const linksTo = (traceparent: string) => {
  const linked = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent }))
  return linked === undefined ? [] : [{ context: linked }]
}
