import { SpanKind } from '@opentelemetry/api'
import { batchCalls } from '../../../core/concurrency/batch-calls'
import { withSpan } from '../../../core/observe/with-span'
import { isConnectionLost, isTransient } from '../../../core/postgres/transient-errors'
import type { ClaimedJob } from '../../../drizzle/queries/jobs/run/claim-jobs'
import type { ScrapeParcel } from '../../scrape/fetch/scrape-parcel'
import { type ScrapeToStore, type StoreOutcome, storeScrapes } from '../../scrape/store/store-scrape'
import type { StoreDeps } from '../../scrape/store/write-scrapes'
import { GATHER_MS, type WorkerContext } from './context'
import { Dropped } from './running-jobs'

/** Most scrapes that one transaction stores. */
const SET_SIZE = 50

export interface RunJobDeps extends StoreDeps {
  scrapeParcel: ScrapeParcel
  /** Records that a job failed. */
  fail: (job: ClaimedJob, error: unknown) => Promise<void>
}

/** Runs a claimed job: scrapes its parcel and stores the result. */
export const createRunJob = (context: WorkerContext, { scrapeParcel, review, fail }: RunJobDeps) => {
  const { sql, log, jobs, phase, persist } = context

  /** Scrapes of one source are stored together; different sources are stored in parallel. */
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
    { mostItems: SET_SIZE, gatherMs: GATHER_MS, isEveryones: isConnectionLost },
  )

  const scrapeAndStore = async (job: ClaimedJob, signal: AbortSignal): Promise<StoreOutcome> => {
    const { id, attempt, source, sourceParcelId, overrides, target } = job
    const brought = await scrapeParcel({ source, sourceParcelId, overrides, target }, { signal })
    return withSpan('store scrape', { source }, () =>
      persist(() => store({ job: { id, attempt }, source, sourceParcelId, ...brought })),
    )
  }

  return async (job: ClaimedJob): Promise<void> => {
    const { id, attempt, source, sourceParcelId, traceparent } = job
    await jobs.run(id, attempt, async (signal) => {
      try {
        const outcome = await withSpan(
          'scrape job',
          { 'job.id': id, 'job.attempt': attempt, source },
          () => scrapeAndStore(job, signal),
          { kind: SpanKind.CONSUMER, cause: traceparent },
        )
        log.debug({ job: id, source, sourceParcelId, attempt, outcome }, 'job ended')
      } catch (error) {
        if (error instanceof Dropped) return
        // The worker stops. The job is handed back, or its lease expires.
        if (phase() === 'leaving' && isTransient(error)) throw error
        await fail(job, error)
      }
    })
  }
}
