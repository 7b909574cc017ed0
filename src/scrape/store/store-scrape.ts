import type { ScrapedParcel } from '../../../adapters/adapter'
import type { Scrape } from '../../../adapters/scrape'
import { withSpan } from '../../../core/observe/with-span'
import type { Sql, Transaction } from '../../../core/postgres/database'
import { completeJobs } from '../../../drizzle/queries/jobs/run/complete-jobs'
import { lockCurrentJobs } from '../../../drizzle/queries/jobs/run/lock-current-jobs'
import { readStoredParcels, type StoredParcel } from '../../../drizzle/queries/parcels/read-stored-parcels'
import { storeFindings } from '../../../drizzle/queries/parcels/store-findings'
import { touchScrapedParcels } from '../../../drizzle/queries/parcels/touch-scraped-parcels'
import { updateScrapeData } from '../../../drizzle/queries/parcels/update-scrape-data'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { removeVanishedFindings } from '../../../drizzle/queries/parcels/vanished-findings'
import { advanceDataAsOf } from '../../../drizzle/queries/sources/advance-data-as-of'
import type { Origin, ParcelInput, UpsertCounts } from '../../../drizzle/records'
import { version } from '../../../package.json' with { type: 'json' }
import { type SettledScrape, settleScrape } from '../fetch/settle-scrape'
import type { KeptPage } from '../pages/keep-pages'
import { parcelVanished } from '../review/parcel-vanished'
import type { Finding } from '../review/review'
import type { ReviewInput } from '../review/rule'
import { boundFindings } from './bound-findings'
import { mergeScrape } from './merge-scrape'

export interface StoreDeps {
  /** Pure: the findings about a parcel. */
  review: (input: ReviewInput) => Finding[]
}

export interface ScrapeToStore {
  /** The attempt that produced the scrape; null for a scrape without a job. */
  job: { id: string; attempt: number } | null
  sourceParcelId: string
  vendor: string
  scraped: ScrapedParcel | SettledScrape | 'not-modified'
  /** The answers that it was read from, if they are kept. */
  kept?: KeptPage | null
  /** How much of the attempt's time was not the portal's. */
  waitedMs?: number
}

/** `superseded`: the attempt is no longer the current one of a running job (cancelled, or given to another worker), and nothing was written. */
export type StoreOutcome = 'stored' | 'superseded'

/**
 * Stores one scrape: see `storeScrapes`.
 *
 * @throws ScrapeError `page_changed` for an invalid boundary, or a text or list that is too long
 */
export const storeScrape = async (
  sql: Sql,
  { review, source, ...scrape }: ScrapeToStore & StoreDeps & { source: string },
): Promise<StoreOutcome> => {
  const [outcome] = await withSpan('store scrape', { source }, () => storeScrapes(sql, { review }, source, [scrape]))
  if (outcome === undefined) throw new Error('storing returned no outcome')
  return outcome
}

/**
 * Stores scrapes of one source, each of a different parcel, in one transaction: parcel fields, scrape data, links to
 * entities and the search outbox (by triggers), findings, the job's status. A scrape with fewer fields than the previous one
 * removes nothing. A parcel that the service does not know is added.
 */
export const storeScrapes = async (
  sql: Sql,
  { review }: StoreDeps,
  source: string,
  scrapes: readonly ScrapeToStore[],
): Promise<StoreOutcome[]> => {
  const checked = new Map(scrapes.map((scrape) => [scrape, isScraped(scrape) ? checkScrape(scrape) : null]))
  return sql.begin(async (tx) => {
    const current = await lockCurrentJobs(
      tx,
      scrapes.flatMap(({ job }) => job ?? []),
    )
    const isCurrent = ({ job }: ScrapeToStore) =>
      job === null || current.some(({ id, attempt }) => id === job.id && attempt === job.attempt)
    const valid = scrapes.filter(isCurrent)
    const before = await readStoredParcels(
      tx,
      source,
      valid.map(({ sourceParcelId }) => sourceParcelId),
    )
    await writeScrapes(
      tx,
      { review },
      source,
      valid.flatMap((scrape) => checked.get(scrape) ?? []),
      { before, crawlId: null },
    )
    const unchanged = valid
      .filter((scrape) => !isScraped(scrape))
      .flatMap(({ sourceParcelId }) => before.get(sourceParcelId) ?? [])
    const ids = (parcels: readonly StoredParcel[]) => parcels.map(({ id }) => id)
    await touchScrapedParcels(tx, ids(unchanged))
    await removeVanishedFindings(tx, parcelVanished.rule, ids(unchanged.filter(({ findings }) => findings.length > 0)))
    await completeJobs(
      tx,
      valid.flatMap(({ job, waitedMs }) => (job === null ? [] : { id: job.id, waitedMs })),
    )
    return scrapes.map((scrape): StoreOutcome => (isCurrent(scrape) ? 'stored' : 'superseded'))
  }) as Promise<StoreOutcome[]>
}

type FreshScrape = ScrapeToStore & { scraped: ScrapedParcel | SettledScrape }

const isScraped = (scrape: ScrapeToStore): scrape is FreshScrape => scrape.scraped !== 'not-modified'

/** A scrape with a valid boundary, and with texts and lists within the bounds. */
export interface CheckedScrape {
  vendor: string
  /** The job of the scrape; null: none. */
  jobId: string | null
  /** The values for the parcel's own columns. */
  parcel: ParcelInput
  scrape: Scrape
  /** The address of the page, as in `ScrapedParcel`. */
  page: string | null
  /** Missing in crawls that an earlier version staged. */
  kept?: KeptPage | null
}

/** @throws ScrapeError `page_changed` for an invalid boundary, or a text or list that is too long */
export const checkScrape = ({
  sourceParcelId,
  vendor,
  job = null,
  scraped,
  kept = null,
}: Pick<FreshScrape, 'sourceParcelId' | 'vendor' | 'scraped'> &
  Partial<Pick<FreshScrape, 'job' | 'kept'>>): CheckedScrape => {
  const { fields, scrape, page = null, bbox } = settleScrape(sourceParcelId, scraped)
  const parcel = { sourceParcelId, ...fields, geom: fields.geom ?? null, bbox }
  return { vendor, jobId: job?.id ?? null, parcel, scrape, page, kept }
}

/**
 * Writes scrapes of one source, each of a different parcel: everything that `storeScrapes` stores, in the caller's transaction.
 * `before` is the current state of the parcels, locked; `crawlId` is the crawl that they are from, if any. With `replayId` they are from
 * kept pages: the time of the scrape is that of its page, and an owner that reads differently now is not a new owner.
 */
export const writeScrapes = async (
  tx: Transaction,
  { review }: StoreDeps,
  source: string,
  scrapes: readonly CheckedScrape[],
  {
    before,
    crawlId,
    replayId = null,
  }: { before: ReadonlyMap<string, StoredParcel>; crawlId: string | null; replayId?: string | null },
): Promise<UpsertCounts> => {
  if (scrapes.length === 0) return { inserted: 0, updated: 0, unchanged: 0 }
  const causeOf = ({ jobId }: CheckedScrape) => crawlId ?? replayId ?? jobId
  const cause = crawlId !== null ? 'crawl' : replayId !== null ? 'replay' : 'scrape'
  const parcels = scrapes.map((scrape) => ({ ...scrape.parcel, causeId: causeOf(scrape), origin: originOf(scrape) }))
  const counts = await upsertParcels(tx, source, parcels, { cause, id: crawlId })
  const after = await readStoredParcels(
    tx,
    source,
    parcels.map(({ sourceParcelId }) => sourceParcelId),
  )
  const judged = scrapes.map((checked) => {
    const { vendor, parcel, scrape: brought } = checked
    const { sourceParcelId } = parcel
    const was = before.get(sourceParcelId) ?? null
    const is = after.get(sourceParcelId)
    if (is === undefined) throw new Error(`parcel ${sourceParcelId} disappeared although it was locked`)
    const scrape = mergeScrape(was?.scrapeData ?? {}, brought)
    const input = toReviewInput(was, is, scrape)
    if (replayId !== null && input.previous !== null && isReread(was, brought)) input.previous.ownerName = null
    const findings = boundFindings(review(input))
    if (findings.length > 0) scrape.review_findings = findings.map(toReviewFinding)
    const written = { causeId: causeOf(checked), origin: originOf(checked) }
    const scrapedAt = replayId === null ? null : brought.fetched_at
    return { id: is.id, vendor, scrape, scrapedAt, written, findings, hadFindings: is.findings.length > 0 }
  })
  await updateScrapeData(
    tx,
    judged.map(({ id, vendor, scrape, scrapedAt, written }) => ({
      id,
      scrapedBy: vendor,
      scrapedAt,
      scrapeData: scrape,
      ...written,
    })),
    crawlId,
  )
  await storeFindings(
    tx,
    judged
      .filter(({ findings, hadFindings }) => findings.length > 0 || hadFindings)
      .map(({ id, findings }) => ({ parcelId: id, findings })),
  )
  const newest = judged
    .flatMap(({ scrape }) => scrape.data_as_of ?? [])
    .sort()
    .at(-1)
  if (newest !== undefined) await advanceDataAsOf(tx, source, newest)
  return counts
}

/** Whether the stored scrape read the same page, or a later one. */
const isReread = (was: StoredParcel | null, { fetched_at }: Scrape): boolean =>
  String(was?.scrapeData.fetched_at ?? '') >= fetched_at

const originOf = ({ vendor, scrape, page, kept }: CheckedScrape): Origin => ({
  adapter: vendor,
  version,
  ...(page === null ? {} : { page }),
  ...(kept ? { page_hash: kept.hash, page_at: kept.fetchedAt } : {}),
  ...(scrape.data_as_of === undefined ? {} : { as_of: scrape.data_as_of }),
})

export const toReviewInput = (was: StoredParcel | null, is: StoredParcel, scrape: Scrape): ReviewInput => ({
  parcel: is,
  scrape,
  previous:
    was === null || Object.keys(was.scrapeData).length === 0
      ? null
      : { ownerName: was.ownerName, findings: was.findings },
  changes: is.changes,
  state: is.state,
  dataAsOf: scrape.data_as_of ?? null,
  cadence: is.cadence,
  now: new Date(),
})

const toReviewFinding = ({ severity, category, evidence, suggestedAction }: Finding) => ({
  severity,
  category,
  evidence,
  suggested_action: suggestedAction,
})
