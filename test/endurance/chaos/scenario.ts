import type { Role } from '../../../src/roles/role'
import type { Stack } from './stack'

/** One fault, and what the service promises while it lasts and after it. */
export interface Scenario {
  /** The promise, as one sentence. */
  promise: string
  /** One process each. A role that is named twice runs as `worker-1` and `worker-2`. */
  roles: readonly Role[]
  /** Additional environment variables of these processes. */
  env?: Record<string, string>
  /** Error codes of jobs that fail because of the fault. Any other failed job fails the audit. */
  expectedErrors?: readonly string[]
  /** Breaks something and waits until the service has recovered. A process that is still frozen at the end is thawed before the audit. */
  run: (stack: Stack) => Promise<void>
}
