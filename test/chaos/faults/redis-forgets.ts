import { redisFault } from '../redis-fault'

export const scenario = redisFault({
  promise: 'after FLUSHALL jobs go on, and never more at once than the target',
  lastsMs: 0,
  begin: (_, redis) => redis.flushall(),
})
