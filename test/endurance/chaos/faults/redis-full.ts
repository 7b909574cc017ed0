import { redisFault } from '../redis-fault'

/** Without eviction, a full Redis refuses writes. A worker does not start on a Redis that evicts (test/jobs/queue/eviction-policy.test.ts). */
export const scenario = redisFault({
  promise: 'jobs continue after a Redis that was out of memory for 20 s has memory again',
  lastsMs: 20_000,
  begin: (_, redis) => redis.config('SET', 'maxmemory', 1),
  end: (_, redis) => redis.config('SET', 'maxmemory', 0),
})
