import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { ServiceError } from '../../../core/service-error'

/** The only policy under which Redis never throws queued jobs away. */
const SAFE = 'noeviction'
const TIMEOUT_MS = 3_000

/** What is wrong with a server whose `maxmemory-policy` is `policy`, and what to do about it; null when it is fit for a queue. */
export const judgeEvictionPolicy = (policy: string | null): { problem: string; advice: string } | null => {
  if (policy === SAFE) return null
  return policy === null
    ? { problem: 'does not tell its maxmemory-policy', advice: `see that its maxmemory-policy is ${SAFE}` }
    : {
        problem: `throws queued jobs away when its memory is full (maxmemory-policy ${policy})`,
        advice: `redis-cli config set maxmemory-policy ${SAFE}, and in its configuration file too`,
      }
}

/** The `maxmemory-policy` in the text of INFO (managed servers forbid CONFIG GET); null when it is not there. */
export const parseEvictionPolicy = (info: string): string | null => /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? null

/**
 * Keeps a process from starting on a Redis that may throw queued jobs away. One that cannot be reached now, or does not tell, is
 * logged: the queue waits for it.
 *
 * @throws ServiceError `bad_config`
 */
export const refuseEviction = async (url: string, log: Logger): Promise<void> => {
  const where = `Redis at ${new URL(url).host}`
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  redis.on('error', () => {})
  try {
    const info = await redis
      .connect()
      .then(() => redis.info('memory'))
      .catch((error) => log.warn({ err: error }, `${where} cannot be reached; jobs wait for it`))
    if (info === undefined) return
    const policy = parseEvictionPolicy(info)
    const judged = judgeEvictionPolicy(policy)
    if (judged === null) return
    const sentence = `${where} ${judged.problem}: ${judged.advice}`
    if (policy !== null) throw new ServiceError('bad_config', sentence)
    log.warn(sentence)
  } finally {
    redis.disconnect()
  }
}
