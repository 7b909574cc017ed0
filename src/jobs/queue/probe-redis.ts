import { Redis } from 'ioredis'

const TIMEOUT_MS = 3_000

/**
 * Connects to Redis once, without the retries of the queue's own connections, and runs `ask`.
 *
 * @throws the reason why there is no connection, and what `ask` throws
 */
export const probeRedis = async <Result>(url: string, ask: (redis: Redis) => Promise<Result>): Promise<Result> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  // The error of `connect` only says that there is no connection. This event has the cause.
  let reason: Error | null = null
  redis.on('error', (error) => {
    reason = error
  })
  try {
    await redis.connect()
    return await ask(redis)
  } catch (error) {
    throw reason ?? error
  } finally {
    redis.disconnect()
  }
}
