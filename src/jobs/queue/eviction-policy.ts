import type { Logger } from 'pino'
import { ServiceError } from '../../../core/service-error'
import { probeRedis } from './probe-redis'

/** The only policy under which Redis never evicts queued jobs. */
const SAFE = 'noeviction'

/** The problem with this `maxmemory-policy` and how to fix it; null if the policy is safe for a queue. */
export const judgeEvictionPolicy = (policy: string | null): { problem: string; advice: string } | null => {
  if (policy === SAFE) return null
  return policy === null
    ? { problem: 'does not report its maxmemory-policy', advice: `make sure that it is ${SAFE}` }
    : {
        problem: `evicts queued jobs when its memory is full (maxmemory-policy ${policy})`,
        advice: `run redis-cli config set maxmemory-policy ${SAFE}, and set it in the configuration file too`,
      }
}

/** Reads `maxmemory-policy` from the output of INFO, because managed servers forbid CONFIG GET. Null when it is missing. */
export const parseEvictionPolicy = (info: string): string | null => /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? null

/** The first word of an answer of Redis is the code of its error. */
const isPasswordRefused = (error: Error): boolean => /^(?:WRONGPASS|NOAUTH)\b/.test(error.message)

/**
 * Refuses to start on a Redis that refuses the password or may evict queued jobs. If Redis is unreachable or does not report its policy, this only logs a
 * warning; the queue waits for Redis.
 *
 * @throws ServiceError `bad_config`
 */
export const refuseUnfitRedis = async (url: string, log: Logger): Promise<void> => {
  const where = `Redis at ${new URL(url).host}`
  const info = await probeRedis(url, (redis) => redis.info('memory')).catch((cause) => {
    if (isPasswordRefused(cause))
      throw new ServiceError('bad_config', `${where} refuses the password: set the right one in REDIS_URL`, { cause })
    log.warn({ err: cause }, `${where} is unreachable; jobs wait for it`)
  })
  if (info === undefined) return
  const policy = parseEvictionPolicy(info)
  const judged = judgeEvictionPolicy(policy)
  if (judged === null) return
  const sentence = `${where} ${judged.problem}: ${judged.advice}`
  if (policy !== null) throw new ServiceError('bad_config', sentence)
  log.warn(sentence)
}
