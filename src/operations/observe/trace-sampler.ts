import { ParentBasedSampler, type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace-base'

/**
 * Records a trace if the caller records it, and at most this many new traces per second, so that tracing costs a loaded service
 * no more than an idle one. `now` in ms.
 */
export const sampleAtMost = (perSecond: number, now: () => number = () => performance.now()): Sampler => {
  let left = perSecond
  let filledAt = now()
  const root: Sampler = {
    shouldSample() {
      const time = now()
      left = Math.min(perSecond, left + ((time - filledAt) * perSecond) / 1_000)
      filledAt = time
      if (left < 1) return { decision: SamplingDecision.NOT_RECORD }
      left--
      return { decision: SamplingDecision.RECORD_AND_SAMPLED }
    },
    toString: () => `sampleAtMost(${perSecond})`,
  }
  return new ParentBasedSampler({ root })
}
