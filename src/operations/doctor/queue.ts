import type { Sql } from '../../../core/postgres/database'
import { countNoun } from '../../../core/text/count-noun'
import { listVendorFigures } from '../../../drizzle/queries/jobs/dispatch/queue-figures'
import { countLostJobs, listWaitingVendors } from '../../../drizzle/queries/service/examine'
import { judgeEvictionPolicy, parseEvictionPolicy } from '../../jobs/queue/eviction-policy'
import { probeRedis } from '../../jobs/queue/probe-redis'
import { type Diagnosis, fault, hostOf, ok, warn } from './diagnosis'

/** A queue is stuck when no job was taken for this long. */
const STUCK_MINUTES = 10
const LOST_MINUTES = 1
/** The oldest version that BullMQ supports. */
const OLDEST_REDIS = 6.2
const UNWRITABLE =
  'give it more memory or disk space, or, if it is a replica, set REDIS_URL to the primary; jobs wait until then'

export const examineRedis = (url: string): Promise<Diagnosis[]> =>
  probeRedis(url, async (redis) => {
    // The client would use database 0 instead of one that the server does not have.
    if (redis.options.db) await redis.select(redis.options.db)
    const info = await redis.info()
    const setting = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
    const version = setting('redis_version')
    const what = `${version} at ${hostOf(url)}`
    if (Number.parseFloat(version) < OLDEST_REDIS) {
      return [fault('Redis', `${what}; the queue needs ${OLDEST_REDIS}`, 'upgrade the server to Redis 7')]
    }
    const policy = parseEvictionPolicy(info)
    const judged = judgeEvictionPolicy(policy)
    if (judged === null) {
      // It changes nothing, but a server that is full, read-only or cannot save refuses it.
      const refused = await redis.set('scrape:doctor', '', 'XX').then(
        () => null,
        (error: Error) => error.message,
      )
      return [refused === null ? ok('Redis', what) : fault('Redis', `${what} refuses writes: ${refused}`, UNWRITABLE)]
    }
    return [(policy === null ? warn : fault)('Redis', `${what} ${judged.problem}`, judged.advice)]
  })

export const examineQueue = async (sql: Sql): Promise<Diagnosis[]> => {
  const diagnoses: Diagnosis[] = []
  const lost = await countLostJobs(sql, LOST_MINUTES)
  if (lost > 0) {
    diagnoses.push(
      fault(
        'jobs',
        `${countNoun(lost, 'job belongs', 'jobs belong')} to workers that are gone, and no running worker requeues lost jobs`,
        'start a worker: bun start worker',
      ),
    )
  }
  for (const { vendor, isBreakerOpen, waitedSeconds } of await listWaitingVendors(sql, STUCK_MINUTES)) {
    const what = `${vendor}: jobs have waited for ${Math.round(waitedSeconds / 60)} min and none was taken`
    diagnoses.push(
      isBreakerOpen
        ? warn(
            'jobs',
            `${what}; its breaker is open because jobs fail`,
            `the tuning log shows why (GET /v1/admin/tuning-log?vendor=${vendor}); until a job succeeds, one per minute is tried`,
          )
        : fault('jobs', what, 'start a worker (bun start worker), and check its log'),
    )
  }
  if (diagnoses.length > 0) return diagnoses
  const vendors = await listVendorFigures(sql)
  const sum = (of: 'queued' | 'running') => vendors.reduce((total, figures) => total + figures[of], 0)
  return [ok('jobs', `${sum('queued')} queued, ${sum('running')} running`)]
}
