import type { JobPriority } from '../../../drizzle/schema/scrape-jobs'

/** One try of a job, as a queue carries it. The table of jobs is the truth; what a queue says is only worth asking the table about. */
export interface QueuedJob {
  /** Of the job. */
  id: string
  /** Earlier attempts. Each attempt is queued separately, so the number shows whether an entry is out of date. */
  attempts: number
  priority: JobPriority
}

/**
 * Carries jobs to workers: one queue a vendor, those of high priority first, then sets in the order in which they were handed
 * over, each job to one worker of all, at least once. Both drivers keep this contract (test/jobs/queue/queue-contract.ts).
 */
export interface JobQueue {
  /**
   * Hands jobs over. One that the queue holds already is not taken twice. Waits while the queue's server is away. A crash
   * of the server, or of the process that carries the queue, may lose them: see `refill` of the dispatcher.
   */
  add: (vendor: string, jobs: readonly QueuedJob[]) => Promise<void>
  /** Begins to take a vendor's jobs. One whose handler dies with its process comes again. The handler never throws. */
  take: (vendor: string, handle: (job: QueuedJob) => Promise<void>) => void
  /**
   * How many of a vendor's jobs may be handled at once, by all workers together; counts at once. To be set before `take`. A
   * server that forgets it is told again by the driver.
   */
  setConcurrency: (vendor: string, concurrency: number) => Promise<void>
  /** Takes nothing more in this process; handlers that run go on. */
  pause: () => Promise<void>
  /** Ends the connection. Deliveries that are being handled come again elsewhere. */
  close: () => Promise<void>
}

export interface QueueEvents {
  /** The queue's server was away or has lost data. Deliveries may be gone and are to be handed over again. */
  onReset: () => void
  /** Told of what goes wrong, for the log; the driver goes on by itself. */
  onError: (error: Error) => void
}

/**
 * A queue ignores an entry whose key it already holds. A job whose priority was raised is queued twice; the second claim fails in the
 * database.
 */
export const queuedJobKey = ({ id, attempts, priority }: QueuedJob): string => `${id}-${attempts}-${priority}`
