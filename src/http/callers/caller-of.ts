import type { Caller } from '../../../core/concurrency/fair-turns'
import type { Reader } from '../../../core/postgres/replicas/reads'
import { leastVersionOf } from '../convention/response/dataset-version'
import { principalOf } from './auth'
import { callerIdOf } from './authenticator'

/** The caller of this request. Its reads return nothing older than what it wrote or has seen. */
export const readerOf = (request: Request): Reader & { id: string } => ({
  id: callerIdOf(principalOf(request)),
  atLeast: () => leastVersionOf(request),
})

/** The caller of this request, for fair queueing and for reads. */
export const callerOf = (request: Request): Caller & Reader => ({ ...readerOf(request), signal: request.signal })
