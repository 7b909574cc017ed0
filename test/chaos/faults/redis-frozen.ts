import { redisFault } from '../redis-fault'

export const scenario = redisFault({
  promise: 'jobs go on once a Redis that was frozen for 60 s continues',
  lastsMs: 60_000,
  begin: ({ freeze }) => freeze('redis'),
  end: ({ thaw }) => thaw('redis'),
})
