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
import { countTimes, createRequestTimes, type RequestTimes } from '../../../core/request-times'
import { findPrincipal } from '../callers/auth'
import { SESSION_COOKIE } from '../callers/cookies'
import type { Deps } from '../deps'

/** Longer than this is worth a line in the log. */
const SLOW_MS = 1_000

/** Where no route was met: an unknown path must not become a label of its own. */
const NO_ROUTE = 'none'

/** Archives are answered before any route is looked for. */
const ARCHIVES = '/tiles/:layer/:hash.pmtiles'

const tracer = trace.getTracer('parcel-data-service')

/**
 * Rate, errors and duration of every request by method, route and status (all bounded), a span around it that continues the
 * caller's trace (W3C Trace Context), and a line in the log: at level `warn` when it was a fault or slow, else `debug`. Admins are
 * told in `Server-Timing` (https://www.w3.org/TR/server-timing/) what a request waited for; nobody else, since times tell of what is inside.
 * What is off is not called: spans that nobody collects cost a range of an archive a sixth of its throughput (2026-11-21).
 */
export const observe = ({ registry, log, traced }: Pick<Deps, 'registry' | 'log' | 'traced'>) => {
  const duration =
    registry &&
    new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of HTTP requests until their answer was ready.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers: [registry],
    })
  const routes = new WeakMap<Request, string>()

  const nameRoute = (request: Request): string =>
    routes.get(request) ?? (/^[^?]*\.pmtiles(\?|$)/.test(request.url) ? ARCHIVES : NO_ROUTE)

  const finish = (request: Request, response: Response, startedAt: number, times: RequestTimes | null): Response => {
    const ms = performance.now() - startedAt
    const route = nameRoute(request)
    const { status } = response
    duration?.observe({ method: request.method, route, status }, ms / 1_000)
    if (times !== null && findPrincipal(request)?.capability === 'admin') {
      response.headers.set('server-timing', describeTimes(times, ms))
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
    .wrap((next) => (request: Request, ...rest: unknown[]) => {
      const startedAt = performance.now()
      const handle = next as unknown as (request: Request, ...rest: unknown[]) => Answer
      const times = mayBeAdmins(request) ? createRequestTimes() : null
      const answer = () =>
        times === null ? handle(request, ...rest) : countTimes(times, () => handle(request, ...rest))
      return whenAnswered(traced ? traceRequest(request, answer) : answer(), (response) =>
        finish(request, response, startedAt, times),
      )
    })
}

/**
 * Keeping times costs 6 of 78 µs (2026-11-21): not without a key or a session, nor with a user's key, which is never an admin's
 * (api-spec).
 */
const mayBeAdmins = ({ headers }: Request): boolean => {
  const key = headers.get('x-service-key')
  if (key !== null) return !key.startsWith('pk_')
  return headers.get('cookie')?.includes(SESSION_COOKIE) === true
}

type Answer = Response | Promise<Response>

/** An answer that is there already is not made to wait for a turn. */
const whenAnswered = (answer: Answer, next: (response: Response) => Response): Answer =>
  answer instanceof Promise ? answer.then(next) : next(answer)

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

/** `db;dur=1.2, search;dur=3.4, total;dur=6.0`, in ms. */
const describeTimes = (times: RequestTimes, totalMs: number): string =>
  Object.entries({ ...times.read(), total: totalMs })
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(', ')

const HEADERS: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
}
