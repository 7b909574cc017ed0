import { isDeepStrictEqual } from 'node:util'
import type { Adapter, ScrapeOverrides } from '../../../adapters/adapter'
import { PutOff } from '../../../adapters/http/host-turns'
import { SCRAPE_ERROR_CODES, ScrapeError } from '../../../adapters/scrape-error'
import { SCRAPE_LIMIT_MS } from '../../../adapters/scrape-limits'
import { CHANNELS } from '../../../core/channels'
import { withSpan } from '../../../core/observe/with-span'
import type { Db, Sql } from '../../../core/postgres/database'
import { isTransient } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'
import {
  findJobState,
  findRunningJob,
  insertRunningJob,
  type JobState,
} from '../../../drizzle/queries/jobs/order/run-job-now'
import type { Requester } from '../../../drizzle/queries/jobs/order/watchers'
import { extendLeases } from '../../../drizzle/queries/jobs/run/extend-leases'
import { findParcelJson } from '../../../drizzle/queries/parcels/parcels'
import { findIdempotencyKey, type JobKey, tieIdempotencyKey } from '../../../drizzle/queries/service/idempotency-keys'
import { findPortal } from '../../../drizzle/queries/sources/sources'
import type { JobStatus } from '../../../drizzle/schema/values'
import { enqueueScrapes, refuseUnscrapable } from '../../orders/enqueue-scrapes'
import { HEARTBEAT_MS, LEASE_MS } from '../lease'
import { requireUnpaused } from '../pause-vendor'
import { storeFailure } from '../store/store-failure'
import { storeScrape } from '../store/store-scrape'
import type { StoreDeps } from '../store/write-scrapes'
import { describeFailure } from './describe-failure'
import { type ScrapeParcel, scrapeTookTooLong } from './scrape-parcel'

export interface ScrapeNowDeps extends StoreDeps {
  sql: Sql
  findAdapter: (vendor: string) => Pick<Adapter, 'needsBrowser'> | null
  scrapeParcel: ScrapeParcel
  /** Limit for the whole call, including waiting. */
  timeLimitMs?: number
  leaseMs?: number
  heartbeatMs?: number
}

export interface ScrapeNowRequest {
  source: string
  sourceParcelId: string
  overrides: ScrapeOverrides
  /** Null: no requester is recorded or notified. */
  requester: Requester | null
  /** The Idempotency-Key of the call: repeated calls with one key store one scrape. Null: no key. */
  key: JobKey | null
}

/** The parcel's full record as JSON text; or, if a worker's browser is needed, the reason why a job was queued instead. */
export type ScrapeNowOutcome = { parcel: string } | { enqueued: true; reason: string }

export type ScrapeNow = (request: ScrapeNowRequest) => Promise<ScrapeNowOutcome>

/** The deadline of a call, and the portal that the timeout message names. */
interface Limit {
  deadline: number
  baseUrl: string
}

/** A scrape-now is the first attempt of its job; workers make the others. */
const ATTEMPT = 1
/** How often a call that shares another's scrape, or waits for its turn, checks the state. */
const POLL_MS = 200

/**
 * Scrapes one parcel immediately and stores it. Each call is a row of the job table that is running from the start. So two calls for one
 * parcel share one scrape, in any process; a worker's scrape is shared too; operators can see and cancel it; and if
 * this process dies or freezes, a worker takes over: the lease ends after 10 s, and later writes are refused. Calls with different
 * overrides run one after another. Together with the workers' scrapes, no more run than the vendor's `max_concurrency` allows.
 *
 * A call with a key is tied to its job in the transaction that creates the job. A repeated call follows that job until it ends. It
 * returns what the job stored, and scrapes again only if the job failed.
 *
 * @throws ServiceError `not_found` for an unknown source, `conflict` for one without a portal or a retired one, `vendor_paused`, `cancelled`
 * @throws ScrapeError as adapters do; `timeout` after the time limit
 */
export const createScrapeNow = ({
  sql,
  findAdapter,
  scrapeParcel,
  review,
  timeLimitMs = SCRAPE_LIMIT_MS.plain,
  leaseMs = LEASE_MS,
  heartbeatMs = HEARTBEAT_MS,
}: ScrapeNowDeps): ScrapeNow => {
  const tookTooLong = (baseUrl: string) => new ScrapeError('timeout', scrapeTookTooLong(baseUrl, timeLimitMs))
  const running = new Map<string, AbortController>()
  let isListening = false

  /** Drops scrapes that were cancelled while there was no connection, because such notifications are lost. */
  const dropCancelled = async (): Promise<void> => {
    for (const [id, abort] of running) {
      const state = await findJobState(sql, id)
      if (state !== null && state.status !== 'running') abort.abort(cancelled())
    }
  }

  /** Opens one connection for all calls, at the first call. Without it, a cancelled scrape runs to its end, and its result is dropped. */
  const hearCancellations = (): void => {
    if (isListening) return
    isListening = true
    void sql.listen(
      CHANNELS.jobCancelled,
      (id) => running.get(id)?.abort(cancelled()),
      () => void dropCancelled().catch(() => {}),
    )
  }

  /**
   * Creates the job. It is registered in this process before it is visible to others, because it may be cancelled immediately. Null: it
   * cannot start now.
   *
   * @throws KeyTaken when the key is tied to a job other than `former`
   */
  const begin = async (
    request: ScrapeNowRequest,
    former: string | null,
  ): Promise<{ id: string; abort: AbortController } | null> => {
    const abort = new AbortController()
    let id = null as string | null
    try {
      await sql.begin(async (tx) => {
        id = await insertRunningJob(tx, { ...request, overrides: { ...request.overrides }, leaseMs })
        if (id === null) return
        running.set(id, abort)
        await tie(tx, request, { jobId: id, former })
      })
    } catch (error) {
      if (id !== null) running.delete(id)
      throw error
    }
    return id === null ? null : { id, abort }
  }

  const run = async (
    { id, abort }: { id: string; abort: AbortController },
    request: ScrapeNowRequest,
    { deadline, baseUrl }: Limit,
  ): Promise<void> => {
    const { source, sourceParcelId, overrides } = request
    const job = { id, attempt: ATTEMPT }
    const beats = setInterval(
      () =>
        extendLeases(sql, [job], leaseMs).then(
          (lost) => lost.length > 0 && abort.abort(cancelled()),
          () => {},
        ),
      heartbeatMs,
    )
    const isOver = tookTooLong(baseUrl)
    const timer = setTimeout(() => abort.abort(isOver), deadline - performance.now())
    let hasWaited = false
    const onWait = () => {
      hasWaited = true
    }
    try {
      const brought = await scrapeParcel({ source, sourceParcelId, overrides }, { signal: abort.signal, onWait })
      const outcome = await storeScrape(sql, { review, job, source, sourceParcelId, ...brought })
      if (outcome === 'superseded') throw cancelled()
    } catch (error) {
      await storeFailure(sql, request, {
        ...job,
        ...describeFailure(error),
        retryInMs: null,
        // None of these errors says anything about the portal.
        isPutOff: error instanceof PutOff || isTransient(error) || (error === isOver && hasWaited),
      })
      throw error
    } finally {
      clearTimeout(timer)
      clearInterval(beats)
      running.delete(id)
    }
  }

  /** Scrapes, or waits for a running scrape with the same request. */
  const runOrShare = async (request: ScrapeNowRequest, limit: Limit): Promise<void> => {
    let former = request.key?.formerJob ?? null
    while (performance.now() < limit.deadline) {
      if (former !== null && (await findJobState(sql, former))?.status !== 'error') {
        return waitFor(former, limit, ['queued', 'running'])
      }
      try {
        const started = await begin(request, former)
        if (started !== null) return await run(started, request, limit)
        const other = await findRunningJob(sql, request)
        if (other !== null && isDeepStrictEqual(other.overrides, request.overrides)) {
          await tie(sql, request, { jobId: other.id, former })
          return await waitFor(other.id, limit)
        }
      } catch (error) {
        if (!(error instanceof KeyTaken) || request.key === null) throw error
        former = (await findIdempotencyKey(sql, request.key.request))?.jobId ?? null
        continue
      }
      await Bun.sleep(POLL_MS)
    }
    throw tookTooLong(limit.baseUrl)
  }

  const waitFor = async (
    id: string,
    { deadline, baseUrl }: Limit,
    stillRunning: readonly JobStatus[] = ['running'],
  ): Promise<void> => {
    while (performance.now() < deadline) {
      const state = await findJobState(sql, id)
      if (state === null || state.status === 'done') return
      if (!stillRunning.includes(state.status)) throw toFailure(state)
      await Bun.sleep(POLL_MS)
    }
    throw tookTooLong(baseUrl)
  }

  /** Queues a job for a portal that needs a browser; once per key. */
  const queueForBrowser = async (request: ScrapeNowRequest): Promise<void> => {
    const { source, sourceParcelId, overrides, requester, key } = request
    if (key !== null && key.formerJob !== null) return
    await sql
      .begin(async (tx) => {
        const orders = [{ source, sourceParcelId, overrides: { ...overrides } }]
        for (const { id } of await enqueueScrapes(tx, orders, requester)) {
          await tie(tx, request, { jobId: id, former: null })
        }
      })
      .catch((error) => {
        if (!(error instanceof KeyTaken)) throw error
      })
  }

  return async (request) => {
    const { source, sourceParcelId } = request
    const deadline = performance.now() + timeLimitMs
    const portal = await findPortal(sql, source)
    if (portal === null) throw new ServiceError('not_found', `unknown source: ${source}`)
    await refuseUnscrapable(sql, [source])
    const { vendor, baseUrl } = portal
    if (findAdapter(vendor)?.needsBrowser === true) {
      await queueForBrowser(request)
      return {
        enqueued: true,
        reason: `${vendor} needs a browser: a job was queued, and the parcel is updated when it is done`,
      }
    }
    await requireUnpaused(sql, source)
    hearCancellations()
    await withSpan('scrape now', { source }, () => runOrShare(request, { deadline, baseUrl }))
    const parcel = await findParcelJson(sql, { source, id: sourceParcelId })
    if (parcel === null) throw new Error(`parcel ${sourceParcelId} of ${source} is missing after its scrape`)
    return { parcel }
  }
}

/** Another request with this key came first. */
class KeyTaken extends Error {}

/** @throws KeyTaken */
const tie = async (db: Db, { key }: ScrapeNowRequest, job: { jobId: string; former: string | null }): Promise<void> => {
  if (key !== null && !(await tieIdempotencyKey(db, key.request, job))) throw new KeyTaken()
}

const cancelled = () => new ServiceError('cancelled', 'the scrape was cancelled')

/** The error of a shared job, in the form that its own caller received. */
const toFailure = ({ errorCode, errorMessage }: JobState): ServiceError => {
  const code = SCRAPE_ERROR_CODES.find((known) => known === errorCode)
  if (code !== undefined) return new ScrapeError(code, errorMessage ?? code)
  return errorCode === 'cancelled' ? cancelled() : new ScrapeError('network', errorMessage ?? 'the scrape failed')
}
