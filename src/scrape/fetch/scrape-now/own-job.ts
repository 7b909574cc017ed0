import { PutOff } from '../../../../adapters/http/host-turns'
import type { Sql } from '../../../../core/postgres/database'
import { isTransient } from '../../../../core/postgres/transient-errors'
import { insertRunningJob } from '../../../../drizzle/queries/jobs/order/run-job-now'
import { extendLeases } from '../../../../drizzle/queries/jobs/run/extend-leases'
import { storeFailure } from '../../store/store-failure'
import { storeScrape } from '../../store/store-scrape'
import type { StoreDeps } from '../../store/write-scrapes'
import { describeFailure } from '../describe-failure'
import type { ScrapeParcel } from '../scrape-parcel'
import { cancelled } from './follow-job'
import type { Limit, ScrapeNowRequest } from './request'
import type { RunningScrapes } from './running-scrapes'
import { tieKey } from './tie-key'

export interface JobDeps extends StoreDeps {
  sql: Sql
  scrapeParcel: ScrapeParcel
  running: RunningScrapes
  leaseMs: number
  heartbeatMs: number
}

/** The job of a call, which runs in this process. */
interface OwnJob {
  id: string
  abort: AbortController
}

/** A scrape-now is the first attempt of its job; workers make the others. */
const ATTEMPT = 1

/**
 * Creates the job of a call. It is registered in this process before it is visible to others, because it may be cancelled immediately.
 * Null: it cannot start now.
 *
 * @throws KeyTaken when the key is tied to a job other than `former`
 */
export const beginJob = async (
  { sql, running, leaseMs }: JobDeps,
  request: ScrapeNowRequest,
  former: string | null,
): Promise<OwnJob | null> => {
  const abort = new AbortController()
  let id = null as string | null
  try {
    await sql.begin(async (tx) => {
      id = await insertRunningJob(tx, { ...request, overrides: { ...request.overrides }, leaseMs })
      if (id === null) return
      running.add(id, abort)
      await tieKey(tx, request, { jobId: id, former })
    })
  } catch (error) {
    if (id !== null) running.remove(id)
    throw error
  }
  return id === null ? null : { id, abort }
}

/** Scrapes the parcel of a job that has begun, under its lease, and stores the scrape or its failure. @throws that failure */
export const runJob = async (
  { sql, scrapeParcel, review, running, leaseMs, heartbeatMs }: JobDeps,
  { id, abort }: OwnJob,
  request: ScrapeNowRequest,
  { deadline, tookTooLong }: Limit,
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
  const timer = setTimeout(() => abort.abort(tookTooLong), deadline - performance.now())
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
      isPutOff: error instanceof PutOff || isTransient(error) || (error === tookTooLong && hasWaited),
    })
    throw error
  } finally {
    clearTimeout(timer)
    clearInterval(beats)
    running.remove(id)
  }
}
