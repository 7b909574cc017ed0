import { isDeepStrictEqual } from 'node:util'
import type { Adapter, ScrapeOverrides } from '../../adapters/adapter'
import { PutOff } from '../../adapters/http/host-turns'
import { SCRAPE_ERROR_CODES, ScrapeError } from '../../adapters/scrape-error'
import { SCRAPE_LIMIT_MS } from '../../adapters/scrape-limits'
import type { Sql } from '../../drizzle/database'
import { failJob } from '../../drizzle/queries/fail-job'
import { findParcelJson } from '../../drizzle/queries/parcels'
import { findJobState, findRunningJob, insertRunningJob, type JobState } from '../../drizzle/queries/run-job-now'
import { findPortal } from '../../drizzle/queries/sources'
import type { Requester } from '../../drizzle/queries/watchers'
import { ServiceError } from '../service-error'
import { withSpan } from '../with-span'
import { describeFailure } from './describe-failure'
import { enqueueScrapes } from './enqueue-scrapes'
import { type ScrapeParcel, scrapeTookTooLong } from './scrape-parcel'
import { type StoreDeps, storeScrape } from './store-scrape'

export interface ScrapeNowDeps extends StoreDeps {
  sql: Sql
  findAdapter: (vendor: string) => Pick<Adapter, 'needsBrowser'> | null
  scrapeParcel: ScrapeParcel
  /** The whole call, waiting included. */
  timeLimitMs?: number
}

export interface ScrapeNowRequest {
  source: string
  sourceParcelId: string
  overrides: ScrapeOverrides
  /** Null: nobody is named, nor told. */
  requester: Requester | null
}

/** The parcel's full record as JSON text; or, where a worker's browser is needed, why a job was queued instead. */
export type ScrapeNowOutcome = { parcel: string } | { enqueued: true; reason: string }

export type ScrapeNow = (request: ScrapeNowRequest) => Promise<ScrapeNowOutcome>

/** When a call is over, and the portal that it is then said to have waited for. */
interface Limit {
  deadline: number
  baseUrl: string
}

/** Beyond the time limit: what is stored last must still be the job's. */
const LEASE_MARGIN_MS = 15_000
/** How often a call that shares another's scrape, or waits for its turn, looks how that stands. */
const POLL_MS = 200

/**
 * Scrapes one parcel at once and stores it. Each call is a row of the job table, running from its start: so two calls for one
 * parcel share one scrape, in whatever process they are, a worker's scrape is shared too, operators see and cancel it, and if
 * this process dies a worker does it. Calls with other overrides follow one another. No more run than the vendor's
 * `max_concurrency` allows, the workers' scrapes included.
 *
 * @throws ServiceError `not_found` for an unknown source, `cancelled`
 * @throws ScrapeError as adapters do; `timeout` when the time limit has passed
 */
export const createScrapeNow = ({
  sql,
  findAdapter,
  scrapeParcel,
  review,
  timeLimitMs = SCRAPE_LIMIT_MS.plain,
}: ScrapeNowDeps): ScrapeNow => {
  const tookTooLong = (baseUrl: string) => new ScrapeError('timeout', scrapeTookTooLong(baseUrl, timeLimitMs))
  const running = new Map<string, AbortController>()
  let isListening = false

  /** Nothing is heard before the first connection, nor between two. */
  const dropCancelled = async (): Promise<void> => {
    for (const [id, abort] of running) {
      const state = await findJobState(sql, id)
      if (state !== null && state.status !== 'running') abort.abort(cancelled())
    }
  }

  /** One connection for all calls, from the first on. Without it a cancelled scrape runs to its end, and is thrown away then. */
  const hearCancellations = (): void => {
    if (isListening) return
    isListening = true
    void sql.listen(
      'scrape_jobs_cancelled',
      (id) => running.get(id)?.abort(cancelled()),
      () => void dropCancelled().catch(() => {}),
    )
  }

  /** Makes the job, which is known here before anybody sees it: it may be cancelled at once. Null: not now. */
  const begin = async (request: ScrapeNowRequest): Promise<{ id: string; abort: AbortController } | null> => {
    const abort = new AbortController()
    const leaseMs = timeLimitMs + LEASE_MARGIN_MS
    let id = null as string | null
    try {
      await sql.begin(async (tx) => {
        id = await insertRunningJob(tx, { ...request, overrides: { ...request.overrides }, leaseMs })
        if (id !== null) running.set(id, abort)
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
    const job = { id, attempt: 1 }
    const isOver = tookTooLong(baseUrl)
    const timer = setTimeout(() => abort.abort(isOver), deadline - Date.now())
    let hasWaited = false
    const onWait = () => {
      hasWaited = true
    }
    try {
      const brought = await scrapeParcel({ source, sourceParcelId, overrides }, { signal: abort.signal, onWait })
      const outcome = await storeScrape(sql, { review, job, source, sourceParcelId, ...brought })
      if (outcome === 'superseded') throw cancelled()
    } catch (error) {
      await failJob(sql, {
        ...job,
        ...describeFailure(error),
        retryInMs: null,
        isPutOff: error instanceof PutOff || (error === isOver && hasWaited),
      })
      throw error
    } finally {
      clearTimeout(timer)
      running.delete(id)
    }
  }

  /** Scrapes, or waits for the running scrape that asks the same. */
  const runOrShare = async (request: ScrapeNowRequest, limit: Limit): Promise<void> => {
    while (Date.now() < limit.deadline) {
      const begun = await begin(request)
      if (begun !== null) return run(begun, request, limit)
      const other = await findRunningJob(sql, request)
      if (other !== null && isDeepStrictEqual(other.overrides, request.overrides)) {
        return waitFor(other.id, limit)
      }
      await Bun.sleep(POLL_MS)
    }
    throw tookTooLong(limit.baseUrl)
  }

  const waitFor = async (id: string, { deadline, baseUrl }: Limit): Promise<void> => {
    while (Date.now() < deadline) {
      const state = await findJobState(sql, id)
      if (state === null || state.status === 'done') return
      if (state.status !== 'running') throw toFailure(state)
      await Bun.sleep(POLL_MS)
    }
    throw tookTooLong(baseUrl)
  }

  return async (request) => {
    const { source, sourceParcelId, overrides, requester } = request
    const deadline = Date.now() + timeLimitMs
    const portal = await findPortal(sql, source)
    if (portal === null) throw new ServiceError('not_found', `unknown source: ${source}`)
    const { vendor, baseUrl } = portal
    if (findAdapter(vendor)?.needsBrowser === true) {
      await enqueueScrapes(sql, [{ source, sourceParcelId, overrides: { ...overrides } }], requester)
      return {
        enqueued: true,
        reason: `${vendor} needs a browser: a job is queued, the parcel follows when it is done`,
      }
    }
    hearCancellations()
    await withSpan('scrape now', { source }, () => runOrShare(request, { deadline, baseUrl }))
    const parcel = await findParcelJson(sql, { source, id: sourceParcelId })
    if (parcel === null) throw new Error(`parcel ${sourceParcelId} of ${source} is not there after its scrape`)
    return { parcel }
  }
}

const cancelled = () => new ServiceError('cancelled', 'the scrape was cancelled')

/** What a shared job failed of, as its own caller was told. */
const toFailure = ({ errorCode, errorMessage }: JobState): ServiceError => {
  const code = SCRAPE_ERROR_CODES.find((known) => known === errorCode)
  if (code !== undefined) return new ScrapeError(code, errorMessage ?? code)
  return errorCode === 'cancelled'
    ? cancelled()
    : new ScrapeError('network', errorMessage ?? 'the scrape came to nothing')
}
