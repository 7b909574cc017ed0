import { redisFault } from '../redis-fault'

/** As after a firewall or NAT forgot its connections: they are not closed, and new ones work. */
export const scenario = redisFault({
  promise: 'dead connections to Redis are replaced',
  lastsMs: 0,
  begin: ({ roles }) => {
    for (const { links } of roles) links.redis.swallow('open')
  },
})
