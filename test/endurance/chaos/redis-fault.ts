import { Redis } from 'ioredis'
import { SAMPLE_SOURCE } from '../../../dev/sample-county/county'
import { mostAtOnce } from '../../jobs/pace/most-at-once'
import type { Scenario } from './scenario'
import type { Stack } from './stack'

const TARGET = 6
const WITHIN_MS = 10_000
/** Jobs that must end before work counts as resumed: more than one round of all slots. */
const ENOUGH = 2 * TARGET

interface RedisFault {
  promise: string
  /** How long the fault lasts. 0 if it is over as soon as it has happened. */
  lastsMs: number
  /** Breaks Redis directly, not through a proxy. */
  begin: (stack: Stack, redis: Redis) => Promise<unknown> | unknown
  end?: (stack: Stack, redis: Redis) => Promise<unknown> | unknown
}

/** A scenario of three workers that share a target of six concurrent jobs while Redis has a fault. */
export const redisFault = ({ promise, lastsMs, begin, end }: RedisFault): Scenario => ({
  promise,
  roles: ['worker', 'worker', 'worker'],
  run: async (stack) => {
    const { servers, sql, queue, countEnded, recovers, say } = stack
    const redis = new Redis(servers.redisUrl)
    try {
      await sql`update vendor_concurrency set target_concurrency = ${TARGET} where vendor = ${SAMPLE_SOURCE.vendor}`
      await queue(400)
      await recovers('the first jobs end', async () => (await countEnded()) >= ENOUGH, 30_000)
      await begin(stack, redis)
      await Bun.sleep(lastsMs)
      await end?.(stack, redis)
      const ended = await countEnded()
      await recovers('jobs end again', async () => (await countEnded()) >= ended + ENOUGH, WITHIN_MS)
      const most = await mostAtOnce(sql)
      say(`at most ${most} jobs ran at once, the target is ${TARGET}`)
      if (most > TARGET) throw new Error(`${most} jobs ran at once, the target is ${TARGET}`)
    } finally {
      // The audit waits for the remaining jobs.
      await sql`update vendor_concurrency set target_concurrency = max_concurrency where vendor = ${SAMPLE_SOURCE.vendor}`
      redis.disconnect()
    }
  },
})
