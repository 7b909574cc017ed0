import type { Logger } from 'pino'
import { PutOff } from '../../adapters/http/host-turns'
import type { Sql } from '../../core/postgres/database'
import { describeTransient, isTransient } from '../../core/postgres/transient-errors'
import { advanceWork } from '../../drizzle/queries/work/advance-work'
import { type ClaimedWork, claimWork } from '../../drizzle/queries/work/claim-work'
import { failWork, finishWork, handBackWork } from '../../drizzle/queries/work/end-work-attempt'
import { holdWork, WorkLost } from '../../drizzle/queries/work/hold-work'
import { sweepLostWork } from '../../drizzle/queries/work/sweep-lost-work'
import { retryDelayMs } from '../jobs/retry-delay'
import { describeFailure } from '../scrape/fetch/describe-failure'
import { HEARTBEAT_MS, LEASE_MS } from '../scrape/lease'
import type { WorkRunner } from './runner'

export interface TakeWorkDeps {
  sql: Sql
  runner: WorkRunner
  log: Logger
  leaseMs?: number
  heartbeatMs?: number
  retryDelay?: typeof retryDelayMs
  /** Called after each extension of the lease. */
  onTurn?: () => void
}

/**
 * Claims work of the runner's kind, or the work with this `id`, and runs it until it ends or fails or `signal` aborts. Returns false if
 * there was nothing to claim.
 */
export const takeWork = async (
  deps: TakeWorkDeps,
  { id = null, signal }: { id?: string | null; signal: AbortSignal },
): Promise<boolean> => {
  const claimed = await claimNext(deps, { id })
  await runClaimed(deps, claimed, signal)
  return claimed.length > 0
}

/** Claims queued or lost work of the runner's kind. `isUrgent`: only work with a priority above 0. */
export const claimNext = async (
  { sql, runner, leaseMs = LEASE_MS }: TakeWorkDeps,
  { id = null, isUrgent = false }: { id?: string | null; isUrgent?: boolean } = {},
): Promise<ClaimedWork[]> => {
  const { kind, vendors = [], mostFailures, claimSize = 1 } = runner
  await sweepLostWork(sql, { kind: kind.name, mostFailures })
  await runner.sweep?.(sql)
  return claimWork(sql, { kind: kind.name, vendors, id, isUrgent, leaseMs, limit: claimSize })
}

/**
 * Runs claimed work. The lease is extended while the work runs. A worker that lost its lease writes nothing, because its attempt is no
 * longer the current one.
 */
export const runClaimed = async (
  deps: TakeWorkDeps,
  claimed: readonly ClaimedWork[],
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all(claimed.map((work) => runAttempt(deps, work, signal)))
}

const runAttempt = async (deps: TakeWorkDeps, work: ClaimedWork, signal: AbortSignal): Promise<void> => {
  const { sql, runner, log, leaseMs = LEASE_MS, heartbeatMs = HEARTBEAT_MS } = deps
  const about = { work: work.id, kind: work.kind, subject: work.subject, attempt: work.attempt }
  log.info({ ...about, cursor: work.cursor }, 'work started')
  const lease = holdWork(() => sql, work, { leaseMs, heartbeatMs, onHeld: () => deps.onTurn?.() })
  let { failures } = work
  const tools = {
    sql,
    signal: AbortSignal.any([signal, lease.lost]),
    hasAdvanced: () => {
      failures = 0
    },
    advance: async (progress: Parameters<typeof advanceWork>[2]) => {
      if (!(await advanceWork(sql, work, progress))) lease.lose()
      lease.lost.throwIfAborted()
      failures = 0
    },
  }
  try {
    const result = await runner.run(work, tools)
    const isDone = await finishWork(sql, work, result)
    if (isDone) runner.onEnded?.(work, 'done')
    log.info(about, isDone ? 'work is done' : 'work was cancelled, or another process has it')
  } catch (error) {
    if (lease.lost.aborted || error instanceof WorkLost)
      log.info(about, 'work was cancelled, or another process has it')
    else if (signal.aborted) await handBackWork(sql, work)
    else if (error instanceof PutOff) await handBackWork(sql, work, error.retryAfterMs)
    else if (isTransient(error)) {
      log.warn({ ...about, err: error }, `${describeTransient(error)}: the work is retried later`)
      await handBackWork(sql, work, delayOf(deps)(1, null))
    } else await fail(deps, { ...work, failures }, error)
  } finally {
    lease.release()
  }
}

const delayOf = ({ retryDelay, runner }: TakeWorkDeps) => retryDelay ?? runner.retryDelayMs ?? retryDelayMs

const fail = async (deps: TakeWorkDeps, work: ClaimedWork, error: unknown): Promise<void> => {
  const { sql, runner, log } = deps
  const { id, kind, subject, attempt } = work
  const { code, failureClass, message, retryAfterMs } = describeFailure(error)
  const failures = work.failures + 1
  const isRetried = failures < runner.mostFailures && runner.isWorthRetrying?.(error) === true
  const retryInMs = isRetried ? delayOf(deps)(failures, retryAfterMs) : null
  const about = { work: id, kind, subject, attempt }
  if (code !== 'internal') log.warn({ ...about, code, retryInMs }, message)
  else log.error({ ...about, err: error }, 'work failed because of a bug in the service')
  const ended = { code, failureClass: failureClass ?? null, message, retryAfterMs, retryInMs }
  await failWork(sql, { id, attempt, failures, ...ended })
  if (!isRetried) runner.onEnded?.(work, 'error')
}
