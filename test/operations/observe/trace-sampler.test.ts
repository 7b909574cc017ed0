import { expect, test } from 'bun:test'
import { type Context, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import { SamplingDecision } from '@opentelemetry/sdk-trace-base'
import { sampleAtMost } from '../../../src/operations/observe/trace-sampler'

const traceId = 'ab'.repeat(16)
const called = (traceFlags: TraceFlags): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: 'cd'.repeat(8), traceFlags, isRemote: true })

const countRecorded = (sampler: ReturnType<typeof sampleAtMost>, times: number, context = ROOT_CONTEXT): number =>
  Array.from({ length: times }, () =>
    sampler.shouldSample(context, traceId, 'request', SpanKind.SERVER, {}, []),
  ).filter(({ decision }) => decision === SamplingDecision.RECORD_AND_SAMPLED).length

test('at most this many new traces per second are recorded, and unused ones do not accumulate', () => {
  let now = 0
  const sampler = sampleAtMost(10, () => now)
  expect(countRecorded(sampler, 1_000)).toBe(10)
  now = 500
  expect(countRecorded(sampler, 1_000)).toBe(5)
  now = 60_000
  expect(countRecorded(sampler, 1_000)).toBe(10)
})

test("the caller's decision applies to its requests", () => {
  const sampler = sampleAtMost(1, () => 0)
  expect(countRecorded(sampler, 100, called(TraceFlags.SAMPLED))).toBe(100)
  expect(countRecorded(sampler, 100, called(TraceFlags.NONE))).toBe(0)
})
