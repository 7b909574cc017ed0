import { SpanKind } from '@opentelemetry/api'
import type { Logger } from 'pino'
import { PutOff } from '../../adapters/http/host-turns'
import { RETRYABLE, ScrapeError } from '../../adapters/scrape-error'
import { batchCalls } from '../../core/batch-calls'
import { CHANNELS } from '../../core/channels'
import type { Sql } from '../../core/postgres/database'
import { isConnectionLost, isTransient } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import { tellNowAndThen } from '../../core/tell-now-and-then'
import { withSpan } from '../../core/with-span'
import { type ClaimedJob, claimJobs, type JobToClaim } from '../../drizzle/queries/jobs/claim-jobs'
import { extendLeases } from '../../drizzle/queries/jobs/extend-leases'
import { failJob } from '../../drizzle/queries/jobs/fail-job'
import { handBackJobs } from '../../drizzle/queries/jobs/hand-back-jobs'
import { putBackJob } from '../../drizzle/queries/jobs/put-back-job'
import { listVendorTargets } from '../../drizzle/queries/tuner/list-vendor-targets'
import { takeProbe } from '../../drizzle/queries/tuner/take-probe'
import { describeFailure } from '../scrape/fetch/describe-failure'
import type { ScrapeParcel } from '../scrape/fetch/scrape-parcel'
import { HEARTBEAT_MS, LEASE_MS, MOST_TRIES } from '../scrape/lease'
import { persist as persistUntil } from '../scrape/store/persist'
import { type ScrapeToStore, type StoreDeps, type StoreOutcome, storeScrapes } from '../scrape/store/store-scrape'
import type { JobQueue, QueuedJob } from './queue/queue'
import { retryDelayMs } from './retry-delay'

export interface WorkerDeps extends StoreDeps {
  sql: Sql
  queue: JobQueue
  scrapeParcel: ScrapeParcel
  log: Logger
  leaseMs?: number
  heartbeatMs?: number
  /** How often targets and breakers are looked at. */
  targetsPollMs?: number
  retryDelay?: typeof retryDelayMs
  /** Called after each turn of a loop that did its work. */
  onTurn?: (loop: 'leases' | 'targets') => void
  /** How long a statement is tried again that a busy database did not do. */
  busyForMs?: number
}

export interface Worker {
  start: () => void
  /** How many jobs run in this process. */
  running: () => number
  /** Takes nothing more, lets what runs end within `graceMs`, and gives the rest back. Closes the queue. */
  stop: (graceMs?: number) => Promise<void>
}

/** Jobs that are claimed, or stored, in one statement. */
const SET_SIZE = 100
const TARGETS_POLL_MS = 1_000
/** The whole farewell, the queue's included, is over 30 s after a worker was told to stop. */
const GRACE_MS = 25_000
/** How often a job that was delivered, though its vendor's target is reached, asks whether there is room. */
const ROOM_POLL_MS = 100
const PAUSE_MS = 2_000

/** Why a job that runs is to end without a result. */
class Dropped extends Error {}

interface RunningJob {
  attempt: number
  abort: AbortController
}

/**
 * Runs jobs: takes deliveries, claims their rows, scrapes, stores. While a job runs its lease is extended; a cancelled one, or
 * one that was given to somebody else, is dropped on the spot. What a worker writes counts only while its try is the current
 * one, so a worker that is late, cut off or doubled does no harm.
 */
export const createWorker = ({
  sql,
  queue,
  scrapeParcel,
  log,
  review,
  leaseMs = LEASE_MS,
  heartbeatMs = HEARTBEAT_MS,
  targetsPollMs = TARGETS_POLL_MS,
  retryDelay = retryDelayMs,
  busyForMs,
  onTurn = () => {},
}: WorkerDeps): Worker => {
  const jobs = new Map<string, RunningJob>()
  const targets = new Map<string, number>()
  const taken = new Set<string>()
  /** Vendors whose breaker is open. */
  const broken = new Set<string>()
  /** When leases were last extended (`performance.now`). */
  let beatAt = performance.now()
  let stopping = false
  /** After it, nothing is waited for. */
  let given = false

  const claim = batchCalls(
    async (deliveries: JobToClaim[]): Promise<(ClaimedJob | 'full' | null)[]> => {
      // While the database was away leases ended. Jobs of this process are to be counted again before others start.
      if (performance.now() - beatAt > leaseMs / 2) await beat()
      const { claimed, full } = await claimJobs(sql, deliveries, leaseMs)
      const jobs = new Map<string, ClaimedJob | 'full'>(claimed.map((job) => [job.id, job]))
      for (const id of full) jobs.set(id, 'full')
      return deliveries.map(({ id }) => {
        const job = jobs.get(id) ?? null
        jobs.delete(id)
        return job
      })
    },
    { mostItems: SET_SIZE, isEveryones: isConnectionLost },
  )

  /** Scrapes of one source go in together, those of several sources side by side. */
  const store = batchCalls(
    async (scrapes: (ScrapeToStore & { source: string })[]): Promise<StoreOutcome[]> => {
      const outcomes = new Map<ScrapeToStore, StoreOutcome>()
      await Promise.all(
        [...Map.groupBy(scrapes, ({ source }) => source)].map(async ([source, ofSource]) => {
          const stored = await storeScrapes(sql, { review }, source, ofSource)
          for (const [index, scrape] of ofSource.entries()) outcomes.set(scrape, stored[index] ?? 'superseded')
        }),
      )
      return scrapes.map((scrape) => outcomes.get(scrape) ?? 'superseded')
    },
    { mostItems: SET_SIZE, isEveryones: isConnectionLost },
  )

  /** What is fenced may be written twice. */
  const persist = <Result>(write: () => Promise<Result>): Promise<Result> =>
    persistUntil(write, { isOver: () => given, busyForMs })

  /**
   * The job, claimed; null: not now. While the vendor's target is reached the delivery waits here: a queue that lost its memory, or
   * that counts a frozen worker's jobs as lost, delivers more than may run.
   */
  const claimInTurn = async (vendor: string, { id, attempts }: QueuedJob): Promise<ClaimedJob | null> => {
    let isProbe = false
    while (!stopping) {
      if (broken.has(vendor) && !isProbe) {
        isProbe = await persist(() => takeProbe(sql, vendor))
        if (!isProbe) return null
      }
      const job = await persist(() => claim({ id, attempts }))
      if (job !== 'full') return job
      await Bun.sleep(ROOM_POLL_MS)
    }
    return null
  }

  const handle = async (vendor: string, delivery: QueuedJob): Promise<void> => {
    try {
      const job = await claimInTurn(vendor, delivery)
      if (job === null) await persist(() => putBackJob(sql, delivery))
      else await run(job)
    } catch (error) {
      // The row stands: it is handed over again, or its lease runs out.
      log.error({ err: error, job: delivery.id }, 'a job was left where it stood')
    }
  }

  const run = async (job: ClaimedJob): Promise<void> => {
    const { id, attempt, source, sourceParcelId, overrides, traceparent } = job
    const abort = new AbortController()
    jobs.set(id, { attempt, abort })
    try {
      const scrapeAndStore = async () => {
        const brought = await persist(() =>
          scrapeParcel({ source, sourceParcelId, overrides }, { signal: abort.signal }),
        )
        return withSpan('store scrape', { source }, () =>
          persist(() => store({ job: { id, attempt }, source, sourceParcelId, ...brought })),
        )
      }
      const outcome = await withSpan('scrape job', { 'job.id': id, 'job.attempt': attempt, source }, scrapeAndStore, {
        kind: SpanKind.CONSUMER,
        cause: traceparent,
      })
      log.debug({ job: id, source, sourceParcelId, attempt, outcome }, 'job ended')
    } catch (error) {
      if (error instanceof Dropped) return
      // The worker stops. The job is given back, or its lease runs out.
      if (given && isTransient(error)) throw error
      await fail(job, error)
    } finally {
      jobs.delete(id)
    }
  }

  const fail = async ({ id, attempt, tries, vendor, source, sourceParcelId }: ClaimedJob, error: unknown) => {
    const described = describeFailure(error)
    // A database that was busy for too long says nothing of the portal, and is no reason to end a job.
    const isBusy = isTransient(error)
    const isPutOff = error instanceof PutOff || isBusy
    const isWorthIt = error instanceof ScrapeError && RETRYABLE[error.code] && tries < MOST_TRIES
    const failed = {
      id,
      attempt,
      ...described,
      // It was told its own time to come back.
      retryInMs:
        error instanceof PutOff
          ? error.retryAfterMs
          : isBusy || isWorthIt
            ? retryDelay(tries, described.retryAfterMs)
            : null,
      isPutOff,
    }
    const about = { job: id, vendor, source, sourceParcelId, attempt }
    if (isBusy) log.warn({ ...about, err: error, retryInMs: failed.retryInMs }, 'the database is busy: a job waits')
    else if (isPutOff) log.debug({ ...about, retryInMs: failed.retryInMs }, failed.message)
    else if (error instanceof ServiceError)
      log.info({ ...about, code: failed.code, retryInMs: failed.retryInMs }, failed.message)
    else log.error({ ...about, err: error }, 'a job failed of a bug')
    await persist(() => failJob(sql, failed)).catch((writeError) => {
      // Another job of the parcel was queued at this very moment; the second time it is seen.
      if (!isUniqueViolation(writeError)) throw writeError
      return persist(() => failJob(sql, failed))
    })
  }

  const drop = (id: string, reason: string): void => {
    jobs.get(id)?.abort.abort(new Dropped(reason))
  }

  const beat = async (): Promise<void> => {
    const beganAt = performance.now()
    const running = [...jobs].map(([id, { attempt }]) => ({ id, attempt }))
    const lost = running.length === 0 ? [] : await extendLeases(sql, running, leaseMs)
    beatAt = beganAt
    for (const id of lost) drop(id, 'the job is no longer this try')
  }

  const followTargets = async (): Promise<void> => {
    for (const { vendor, targetConcurrency, isBreakerOpen } of await listVendorTargets(sql)) {
      if (isBreakerOpen) broken.add(vendor)
      else broken.delete(vendor)
      if (targets.get(vendor) !== targetConcurrency) {
        await queue.setConcurrency(vendor, targetConcurrency)
        targets.set(vendor, targetConcurrency)
      }
      if (taken.has(vendor) || stopping) continue
      taken.add(vendor)
      queue.take(vendor, (delivery) => handle(vendor, delivery))
    }
  }

  /** Again and again until the worker stops; what fails is tried at the next turn. */
  const repeat = async (loop: 'leases' | 'targets', task: () => Promise<void>, everyMs: number): Promise<void> => {
    const warn = tellNowAndThen((error, times) => log.warn({ err: error, times }, 'the worker tries again'))
    while (!given) {
      await task().then(() => onTurn(loop), warn)
      await Bun.sleep(everyMs)
    }
  }

  const waitForJobs = async (timeoutMs: number): Promise<void> => {
    const deadline = Date.now() + timeoutMs
    while (jobs.size > 0 && Date.now() < deadline) await Bun.sleep(20)
  }

  return {
    start() {
      void sql.listen(
        CHANNELS.jobCancelled,
        (id) => drop(id, 'the job was cancelled'),
        () => void beat().catch(() => {}),
      )
      void repeat('leases', beat, heartbeatMs)
      void repeat('targets', followTargets, targetsPollMs)
    },
    running: () => jobs.size,
    async stop(graceMs = GRACE_MS) {
      stopping = true
      // A queue whose server is away cannot be told; what it would bring is put back.
      await Promise.race([queue.pause(), Bun.sleep(PAUSE_MS)])
      await waitForJobs(graceMs)
      given = true
      const rest = [...jobs].map(([id, { attempt }]) => ({ id, attempt }))
      if (rest.length > 0) {
        for (const { id } of rest) drop(id, 'the worker stops')
        await handBackJobs(sql, rest).catch((error) => log.warn({ err: error }, 'jobs were not given back'))
        await waitForJobs(1_000)
      }
      await queue.close()
    },
  }
}

const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'
