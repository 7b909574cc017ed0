import { redisFault } from '../redis-fault'

/** As after a firewall or a NAT forgot its connections: nobody closes them, and new ones work. */
export const scenario = redisFault({
  promise: 'connections to Redis that lead nowhere are replaced',
  lastsMs: 0,
  begin: ({ roles }) => {
    for (const { links } of roles) links.redis.swallow('open')
  },
})
