/** How long a worker that says nothing is taken to be alive. */
export const LEASE_MS = 10_000
/** How often a worker says that it is. */
export const HEARTBEAT_MS = 2_000
/** Tries of a job, after which it ends as an error. */
export const MOST_TRIES = 3
