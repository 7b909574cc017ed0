import { redisFault } from '../redis-fault'

const SLOW_MS = 12_000
const ONE_WAY_MS = 150

export const scenario = redisFault({
  promise:
    'while each command to Redis takes 300 ms, and after it restarts empty, jobs run once and never more than the target concurrently',
  lastsMs: SLOW_MS,
  begin: async ({ roles, servers }) => {
    for (const { links } of roles) links.redis.delay(ONE_WAY_MS)
    await Bun.sleep(SLOW_MS)
    await servers.stopRedis()
    await servers.startRedis()
  },
  end: ({ roles }) => {
    for (const { links } of roles) links.redis.pass()
  },
})
