import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api'
import { Elysia } from 'elysia'
import { Histogram } from 'prom-client'
import { countTimes, createRequestTimes, type RequestTimes } from '../../../core/observe/request-times'
import { findPrincipal } from '../callers/auth'
import { SESSION_COOKIE } from '../callers/cookies'
import type { Deps } from '../deps'
import { type Answer, type Handler, whenAnswered } from './handler'

/** Slower requests are logged at level `warn`. */
const SLOW_MS = 1_000

/** Route label for unknown paths. A path must never become a label. */
const NO_ROUTE = 'none'

/** Requests that wait for a portal or, with `wait`, for changes. Their duration says nothing about the API. */
const WAITS = /\/scrape-now(\?|$)|[?&]wait=/

/** Route label for archives, which are served before routing. */
const ARCHIVES = '/tiles/:layer/:hash.pmtiles'

const tracer = trace.getTracer('parcel-data-service')

/**
 * Observes every request:
 *
 * - metrics: rate, errors and duration by method, route and status (all bounded);
 * - the response times of `/v1` in the last hour, for coverage;
 * - a span that continues the caller's trace (W3C Trace Context);
 * - a log line: `warn` for a 5xx or a slow request, otherwise `debug`;
 * - `Server-Timing` (https://www.w3.org/TR/server-timing/) for admins only, because timings reveal internals.
 *
 * Tracing is skipped when nothing collects spans: it lowered the throughput of archive ranges by a sixth (2026-11-21).
 */
export const observe = ({
  authenticator,
  registry,
  latency,
  log,
  traced,
}: Pick<Deps, 'authenticator' | 'registry' | 'latency' | 'log' | 'traced'>) => {
  const duration =
    registry &&
    new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of HTTP requests until the response was ready.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers: [registry],
    })
  const routes = new WeakMap<Request, string>()

  /** Measuring times takes 6 of 78 µs (2026-11-21), so it is skipped for callers who may not see them. */
  const mayBeAdmins = ({ headers }: Request): boolean => {
    const key = headers.get('x-service-key')
    return key === null ? headers.get('cookie')?.includes(SESSION_COOKIE) === true : authenticator.isAdminKey(key)
  }

  const nameRoute = (request: Request): string =>
    routes.get(request) ?? (/^[^?]*\.pmtiles(\?|$)/.test(request.url) ? ARCHIVES : NO_ROUTE)

  const finish = (request: Request, response: Response, startedAt: number, times: RequestTimes | null): Response => {
    const ms = performance.now() - startedAt
    const route = nameRoute(request)
    const { status } = response
    duration?.observe({ method: request.method, route, status }, ms / 1_000)
    if (route.startsWith('/v1/') && !WAITS.test(request.url)) latency.observe(ms)
    if (times !== null && findPrincipal(request)?.capability === 'admin') {
      response.headers.set('server-timing', `${times.describe()}total;dur=${ms.toFixed(1)}`)
    }
    const level = status >= 500 || ms > SLOW_MS ? 'warn' : 'debug'
    if (log.isLevelEnabled(level)) {
      const requestId = response.headers.get('x-request-id')
      log[level]({ requestId, method: request.method, route, status, ms: Math.round(ms) }, 'request')
    }
    return response
  }

  const traceRequest = (request: Request, answer: () => Answer): Answer => {
    const caller = propagation.extract(context.active(), request.headers, HEADERS)
    const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, caller)
    return whenAnswered(context.with(trace.setSpan(caller, span), answer), (response) => {
      if (span.isRecording()) endSpan(span, request, nameRoute(request), response.status)
      return response
    })
  }

  return new Elysia({ name: 'observe' })
    .onTransform({ as: 'global' }, ({ request, route }) => {
      routes.set(request, route)
    })
    .wrap(
      (next: Handler): Handler =>
        (request, ...rest) => {
          const startedAt = performance.now()
          const handle = () => next(request, ...rest) as Answer
          const times = mayBeAdmins(request) ? createRequestTimes() : null
          const answer = times === null ? handle : () => countTimes(times, handle)
          return whenAnswered(traced ? traceRequest(request, answer) : answer(), (response) =>
            finish(request, response, startedAt, times),
          )
        },
    )
}

const endSpan = (span: Span, request: Request, route: string, status: number): void => {
  span.updateName(`${request.method} ${route}`)
  span.setAttributes({
    'http.route': route,
    'http.request.method': request.method,
    'http.response.status_code': status,
  })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

const HEADERS: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
}
