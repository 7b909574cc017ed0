import { isDeepStrictEqual } from 'node:util'
import type { Adapter } from '../../../../adapters/adapter'
import { ScrapeError } from '../../../../adapters/scrape-error'
import { SCRAPE_LIMIT_MS } from '../../../../adapters/scrape-limits'
import { withSpan } from '../../../../core/observe/with-span'
import type { Sql } from '../../../../core/postgres/database'
import { ServiceError } from '../../../../core/service-error'
import { findJobState, findRunningJob } from '../../../../drizzle/queries/jobs/order/run-job-now'
import { findParcelJson } from '../../../../drizzle/queries/parcels/parcels'
import { findIdempotencyKey } from '../../../../drizzle/queries/service/idempotency-keys'
import { findPortal } from '../../../../drizzle/queries/sources/sources'
import { enqueueScrapes, refuseUnscrapable } from '../../../orders/enqueue-scrapes'
import { HEARTBEAT_MS, LEASE_MS } from '../../lease'
import { requireUnpaused } from '../../pause-vendor'
import { scrapeTookTooLong } from '../scrape-parcel'
import { followJob, POLL_MS } from './follow-job'
import { beginJob, type JobDeps, runJob } from './own-job'
import type { Limit, ScrapeNowRequest } from './request'
import { RunningScrapes } from './running-scrapes'
import { KeyTaken, tieKey } from './tie-key'

export interface ScrapeNowDeps extends Pick<JobDeps, 'sql' | 'scrapeParcel' | 'review'> {
  findAdapter: (vendor: string) => Pick<Adapter, 'needsBrowser'> | null
  /** Limit for the whole call, including waiting. */
  timeLimitMs?: number
  leaseMs?: number
  heartbeatMs?: number
}

/** The parcel's full record as JSON text; or, if a worker's browser is needed, the reason why a job was queued instead. */
export type ScrapeNowOutcome = { parcel: string } | { enqueued: true; reason: string }

export type ScrapeNow = (request: ScrapeNowRequest) => Promise<ScrapeNowOutcome>

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
  const running = new RunningScrapes(sql)
  const deps = { sql, scrapeParcel, review, running, leaseMs, heartbeatMs }
  return async (request) => {
    const { source, sourceParcelId } = request
    const deadline = performance.now() + timeLimitMs
    const portal = await findPortal(sql, source)
    if (portal === null) throw new ServiceError('not_found', `unknown source: ${source}`)
    await refuseUnscrapable(sql, [source])
    const { vendor, baseUrl } = portal
    if (findAdapter(vendor)?.needsBrowser === true) {
      await queueForBrowser(sql, request)
      return {
        enqueued: true,
        reason: `${vendor} needs a browser: a job was queued, and the parcel is updated when it is done`,
      }
    }
    await requireUnpaused(sql, source)
    running.listen()
    const tookTooLong = new ScrapeError('timeout', scrapeTookTooLong(baseUrl, timeLimitMs))
    await withSpan('scrape now', { source }, () => runOrShare(deps, request, { deadline, tookTooLong }))
    const parcel = await findParcelJson(sql, { source, id: sourceParcelId })
    if (parcel === null) throw new Error(`parcel ${sourceParcelId} of ${source} is missing after its scrape`)
    return { parcel }
  }
}

/** Scrapes, or waits for a running scrape with the same request. */
const runOrShare = async (deps: JobDeps, request: ScrapeNowRequest, limit: Limit): Promise<void> => {
  const { sql } = deps
  let former = request.key?.formerJob ?? null
  while (performance.now() < limit.deadline) {
    if (former !== null && (await findJobState(sql, former))?.status !== 'error') {
      return followJob(sql, former, limit, ['queued', 'running'])
    }
    try {
      const started = await beginJob(deps, request, former)
      if (started !== null) return await runJob(deps, started, request, limit)
      const other = await findRunningJob(sql, request)
      if (other !== null && isDeepStrictEqual(other.overrides, request.overrides)) {
        await tieKey(sql, request, { jobId: other.id, former })
        return await followJob(sql, other.id, limit)
      }
    } catch (error) {
      if (!(error instanceof KeyTaken) || request.key === null) throw error
      former = (await findIdempotencyKey(sql, request.key.request))?.jobId ?? null
      continue
    }
    await Bun.sleep(POLL_MS)
  }
  throw limit.tookTooLong
}

/** Queues a job for a portal that needs a browser; once per key. */
const queueForBrowser = async (sql: Sql, request: ScrapeNowRequest): Promise<void> => {
  const { source, sourceParcelId, overrides, requester, key } = request
  if (key !== null && key.formerJob !== null) return
  await sql
    .begin(async (tx) => {
      const orders = [{ source, sourceParcelId, overrides: { ...overrides } }]
      for (const { id } of await enqueueScrapes(tx, orders, requester)) {
        await tieKey(tx, request, { jobId: id, former: null })
      }
    })
    .catch((error) => {
      if (!(error instanceof KeyTaken)) throw error
    })
}
