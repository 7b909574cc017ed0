import type { JobPriority } from '../../../drizzle/schema/values'

/** One attempt of a job in a queue. The table of jobs is the source of truth: a worker must claim the job there before it runs it. */
export interface QueuedJob {
  /** Id of the job. */
  id: string
  /** Earlier attempts. Each attempt is queued separately, so the number shows whether an entry is out of date. */
  attempts: number
  priority: JobPriority
}

/**
 * Delivers jobs to workers, with one queue per vendor. Jobs with high priority come first, then sets in the order in which they were
 * added. Each job goes to one worker, at least once. Both drivers satisfy this contract (test/jobs/queue/queue-contract.ts).
 */
export interface JobQueue {
  /**
   * Adds jobs. A job that the queue already holds is ignored. Waits while the queue's server is unavailable. If the server crashes,
   * jobs may be lost, and if the process that runs an embedded queue ends, all are: see `refill` of the dispatcher.
   */
  add: (vendor: string, jobs: readonly QueuedJob[]) => Promise<void>
  /**
   * Starts to take a vendor's jobs. If the process dies while it handles a job, a queue with a server delivers the job again. The handler must
   * not throw.
   */
  take: (vendor: string, handle: (job: QueuedJob) => Promise<void>) => void
  /**
   * Limits how many of a vendor's jobs all workers together handle concurrently. Takes effect immediately. Call it before `take`. If the
   * server loses the limit, the driver sets it again.
   */
  setConcurrency: (vendor: string, concurrency: number) => Promise<void>
  /** Stops taking jobs in this process. Running handlers continue. */
  pause: () => Promise<void>
  /** Closes the connection. A queue with a server delivers jobs that are still being handled again, to other workers. */
  close: () => Promise<void>
}

export interface QueueEvents {
  /** The queue's server was unavailable or lost data. Jobs may be lost and must be added again. */
  onReset: () => void
  /** Receives errors for the log. The driver recovers by itself. */
  onError: (error: Error) => void
  /** The queue's server answered and accepts writes. Called about every second. */
  onAnswer?: () => void
}

/**
 * A queue ignores an entry whose key it already holds. A job whose priority was raised is queued twice; the second claim fails in the
 * database.
 */
export const queuedJobKey = ({ id, attempts, priority }: QueuedJob): string => `${id}-${attempts}-${priority}`
