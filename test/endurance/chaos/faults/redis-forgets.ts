import { redisFault } from '../redis-fault'

export const scenario = redisFault({
  promise: 'after FLUSHALL jobs continue, and never more than the target run concurrently',
  lastsMs: 0,
  begin: (_, redis) => redis.flushall(),
})
