import { type Span, trace } from '@opentelemetry/api'
import type { Sql } from 'postgres'
import { currentTimes } from '../observe/request-times'
import { failSpan, startSpan } from '../observe/with-span'

/** A pending query in the driver (postgres 3.4.9, src/query.js). `handler` sends it; `resolve` or `reject` ends it. */
interface DriverQuery {
  handler: ((query: DriverQuery) => unknown) & { debug?: unknown }
  strings: readonly string[]
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * A client that adds the time of each statement to the times of its request and, when `traced`, makes each statement a span of the
 * trace. This includes statements in transactions. The span has the statement's text but never its values, which may be secrets.
 */
export const watchQueries = <Client extends Sql>(sql: Client, { traced }: { traced: boolean }): Client =>
  new Proxy(sql, {
    apply: (target, self, args) => {
      const result: unknown = Reflect.apply(target as never, self, args)
      if (result instanceof Promise && 'handler' in result) watchQuery(result as unknown as DriverQuery, traced)
      return result
    },
    get: (target, name, receiver) => {
      if (name !== 'begin') return Reflect.get(target, name, receiver)
      return (...args: unknown[]) => {
        const work = args.pop() as (transaction: Sql) => unknown
        return (target.begin as (...all: unknown[]) => unknown)(...args, (transaction: Sql) =>
          work(watchQueries(transaction, { traced })),
        )
      }
    },
  })

const watchQuery = (query: DriverQuery, traced: boolean): void => {
  const times = currentTimes()
  // A statement alone is not a trace. Otherwise the statements of timers would use up the trace limit that requests need.
  const isRecorded = traced && trace.getActiveSpan()?.isRecording() === true
  if (times === undefined && !isRecorded) return
  const { handler, resolve, reject } = query
  let span: Span | undefined
  let endPart: (() => void) | undefined
  query.handler = Object.assign(
    (sent: DriverQuery) => {
      endPart = times?.begin('db')
      if (isRecorded) {
        span = startSpan('postgres', { 'db.system.name': 'postgresql', 'db.query.text': textOf(query.strings) })
      }
      return handler(sent)
    },
    { debug: handler.debug },
  )
  query.resolve = (value) => {
    endPart?.()
    span?.end()
    resolve(value)
  }
  query.reject = (error) => {
    endPart?.()
    if (span !== undefined) failSpan(span, error)
    span?.end()
    reject(error)
  }
}

/** By the array of the template, which is the same object at each call. */
const texts = new WeakMap<readonly string[], string>()

const textOf = (strings: readonly string[]): string => {
  const known = texts.get(strings)
  if (known !== undefined) return known
  const text = strings.join('?').replace(/\s+/g, ' ').trim().slice(0, 2_000)
  texts.set(strings, text)
  return text
}
