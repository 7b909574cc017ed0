import { redisFault } from '../redis-fault'

export const scenario = redisFault({
  promise: 'jobs continue after a Redis that was frozen for 60 s is thawed',
  lastsMs: 60_000,
  begin: ({ freeze }) => freeze('redis'),
  end: ({ thaw }) => thaw('redis'),
})
