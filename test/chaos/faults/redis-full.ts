import { redisFault } from '../redis-fault'

/** It evicts nothing, so it refuses what needs memory. A worker does not start on one that evicts (test/jobs/queue/eviction-policy.test.ts). */
export const scenario = redisFault({
  promise: 'jobs go on once a Redis that had no memory left for 20 s has some',
  lastsMs: 20_000,
  begin: (_, redis) => redis.config('SET', 'maxmemory', 1),
  end: (_, redis) => redis.config('SET', 'maxmemory', 0),
})
