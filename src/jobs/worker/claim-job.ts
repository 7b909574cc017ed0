import { batchCalls } from '../../../core/concurrency/batch-calls'
import { isConnectionLost } from '../../../core/postgres/transient-errors'
import { type ClaimedJob, claimJobs, type JobToClaim } from '../../../drizzle/queries/jobs/run/claim-jobs'
import { takeProbe } from '../../../drizzle/queries/tuner/take-probe'
import type { QueuedJob } from '../queue/queue'
import { GATHER_MS, type WorkerContext } from './context'

/** Most jobs that one statement claims, so that some jobs are claimed while others are stored. */
const SET_SIZE = 50
/** How often a job tries to claim again while its vendor is at its target. */
const ROOM_POLL_MS = 100

/**
 * Claims a queued job; null if it must not run now. While the vendor is at its target, the job waits here: a queue that lost its data, or
 * that counts the jobs of a frozen worker as lost, delivers more jobs than may run.
 */
export const createClaim = (
  { sql, jobs, phase, persist }: WorkerContext,
  {
    leaseMs,
    isBreakerOpen,
    isPaused,
  }: { leaseMs: number; isBreakerOpen: (vendor: string) => boolean; isPaused: (vendor: string) => boolean },
) => {
  const claim = batchCalls(
    async (queued: JobToClaim[]): Promise<(ClaimedJob | 'full' | null)[]> => {
      await jobs.extendOverdueLeases()
      const { claimed, full } = await claimJobs(sql, queued, leaseMs)
      const answers = new Map<string, ClaimedJob | 'full'>(claimed.map((job) => [job.id, job]))
      for (const id of full) answers.set(id, 'full')
      return queued.map(({ id }) => {
        const answer = answers.get(id) ?? null
        answers.delete(id)
        return answer
      })
    },
    { mostItems: SET_SIZE, gatherMs: GATHER_MS, isEveryones: isConnectionLost },
  )

  return async (vendor: string, { id, attempts }: QueuedJob): Promise<ClaimedJob | null> => {
    let isProbe = false
    while (phase() === 'working' && !isPaused(vendor)) {
      if (isBreakerOpen(vendor) && !isProbe) {
        isProbe = await persist(() => takeProbe(sql, vendor))
        if (!isProbe) return null
      }
      const job = await persist(() => claim({ id, attempts }))
      if (job !== 'full') return job
      await Bun.sleep(ROOM_POLL_MS)
    }
    return null
  }
}
