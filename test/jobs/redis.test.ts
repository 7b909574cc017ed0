import { test } from 'bun:test'
import { createRedisQueue } from '../../src/jobs/redis'
import { isRedisMissing, startRedis } from '../redis-server'
import { waitFor } from '../servers'
import { describeQueue } from './queue-contract'

let server: Awaited<ReturnType<typeof startRedis>>
const quiet = { onReset: () => {}, onError: () => {} }

describeQueue('the queue in Redis', {
  isMissing: isRedisMissing,
  start: async () => {
    server = await startRedis()
  },
  open: () => createRedisQueue(server.url, quiet),
  stop: () => server.kill(),
})

test.skipIf(isRedisMissing)(
  'Redis comes back empty: the queue says so, and carries on with what it is given anew',
  async () => {
    let redis = await startRedis()
    let resets = 0
    const queue = createRedisQueue(redis.url, { ...quiet, onReset: () => resets++ })
    const seen: string[] = []
    queue.take('vendor', async ({ id }) => void seen.push(id))
    await queue.setConcurrency('vendor', 2)
    await queue.add('vendor', [{ id: 'before', attempts: 0, priority: 'normal' }])
    await waitFor(() => seen.length === 1)
    await redis.kill()
    const adding = queue.add('vendor', [{ id: 'during', attempts: 0, priority: 'normal' }])
    redis = await startRedis(redis.port)
    await waitFor(() => resets === 1)
    await adding
    await waitFor(() => seen.length === 2)
    await queue.close()
    await redis.kill()
  },
  60_000,
)
