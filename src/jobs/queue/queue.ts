import type { JobPriority } from '../../../drizzle/schema/scrape-jobs'

/** One try of a job, as a queue carries it. The table of jobs is the truth; what a queue says is only worth asking the table about. */
export interface Delivery {
  /** Of the job. */
  id: string
  /** How often the job was tried before. Each try is handed over anew: a delivery that turns up late is told by its number. */
  attempts: number
  priority: JobPriority
}

/**
 * Carries deliveries to workers: one queue a vendor, those of high priority first, then sets in the order in which they were handed
 * over, each delivery to one worker of all, at least once. Both drivers keep this contract (test/jobs/queue/queue-contract.ts).
 */
export interface JobQueue {
  /**
   * Hands deliveries over. One that the queue holds already is not taken twice. Waits while the queue's server is away. A crash
   * of the server, or of the process that carries the queue, may lose them: see `refill` of the dispatcher.
   */
  add: (vendor: string, deliveries: readonly Delivery[]) => Promise<void>
  /** Begins to take a vendor's deliveries. One whose handler dies with its process comes again. The handler never throws. */
  take: (vendor: string, handle: (delivery: Delivery) => Promise<void>) => void
  /**
   * How many of a vendor's deliveries may be handled at once, by all workers together; counts at once. To be set before `take`. A
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

/** The name that a queue tells equal deliveries by. Of a job that was lifted it holds two; the table refuses the second. */
export const deliveryKey = ({ id, attempts, priority }: Delivery): string => `${id}-${attempts}-${priority}`
