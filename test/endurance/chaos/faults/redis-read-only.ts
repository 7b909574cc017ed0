import { redisFault } from '../redis-fault'

export const scenario = redisFault({
  promise: 'jobs continue after a Redis that was read-only for 20 s accepts writes again',
  lastsMs: 20_000,
  begin: (_, redis) => redis.replicaof('127.0.0.1', 1),
  end: (_, redis) => redis.replicaof('NO', 'ONE'),
})
