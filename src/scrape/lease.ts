/** A worker without a heartbeat for this long counts as dead. */
export const LEASE_MS = 10_000
/** How often a worker sends a heartbeat. */
export const HEARTBEAT_MS = 2_000
/** A job ends as an error after this many attempts. */
export const MAX_ATTEMPTS = 3
/** The lease of a load. Longer than a restart of the database, so that a load that waits for the restart is not given up. */
export const LOAD_LEASE_MS = 30_000
