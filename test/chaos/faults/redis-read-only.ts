import { redisFault } from '../redis-fault'

export const scenario = redisFault({
  promise: 'jobs go on once a Redis that was read-only for 20 s takes writes again',
  lastsMs: 20_000,
  begin: (_, redis) => redis.replicaof('127.0.0.1', 1),
  end: (_, redis) => redis.replicaof('NO', 'ONE'),
})
