import type { TimeLimits } from '../../search/budget'

/** For searches whose hits must not depend on the load of the machine. */
export const PATIENT: TimeLimits = { totalMs: 60_000, wideningMs: 60_000, postgresMs: 60_000 }
