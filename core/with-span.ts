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

const tracer = trace.getTracer('parcel-data-service')

export interface SpanOptions {
  kind?: SpanKind
  /** As `traceparentNow` had it where this was asked for: a trace of its own, with a link to that one. */
  cause?: string | null
}

export const startSpan = (name: string, attributes: Attributes = {}): Span => tracer.startSpan(name, { attributes })

/** Of an error the kind alone: its message may hold what a statement was given, or where a page is. The log has all of it. */
export const failSpan = (span: Span, error: unknown): void => {
  span.setAttribute('error.type', kindOf(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/**
 * Runs `work` inside a span of a trace (OpenTelemetry); where no traces are sent, or this one is not recorded, that is a plain
 * call. Names and attributes come from a bounded set, and hold nothing of what people ask for.
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

/** The span that is under way, as W3C Trace Context writes it (`traceparent`); null where none is recorded. */
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
