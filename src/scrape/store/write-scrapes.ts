import { randomUUIDv7 } from 'bun'
import type { ScrapedParcel } from '../../../adapters/adapter'
import type { Scrape } from '../../../adapters/scrape'
import type { Transaction } from '../../../core/postgres/database'
import { storeFindings } from '../../../drizzle/queries/findings/store-findings'
import { insertScrapedParcels, newValues } from '../../../drizzle/queries/parcels/insert-parcels'
import {
  findReviewedSource,
  type ReviewedSource,
  readStoredParcels,
  type StoredParcel,
} from '../../../drizzle/queries/parcels/read-stored-parcels'
import { type ScrapeDataRow, updateScrapeData } from '../../../drizzle/queries/parcels/update-scrape-data'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { advanceDataAsOf } from '../../../drizzle/queries/sources/advance-data-as-of'
import { NOTHING_WRITTEN, type Origin, type ParcelInput, type UpsertCounts } from '../../../drizzle/records'
import { version } from '../../../package.json' with { type: 'json' }
import { type SettledScrape, settleScrape } from '../fetch/settle-scrape'
import type { KeptPage } from '../pages/keep-pages'
import type { Finding } from '../review/review'
import type { ReviewInput } from '../review/rule'
import { boundFindings } from './bound-findings'
import { mergeScrape } from './merge-scrape'

export interface StoreDeps {
  /** Pure: the findings about a parcel. */
  review: (input: ReviewInput) => Finding[]
}

/** A scrape with a valid boundary, and with texts and lists within the bounds. */
export interface CheckedScrape {
  vendor: string
  /** The job of the scrape; null: none. */
  jobId: string | null
  /** The values for the parcel's own columns. */
  parcel: ParcelInput
  scrape: Scrape
  /** The URL of the page, as in `ScrapedParcel`. */
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
}: {
  sourceParcelId: string
  vendor: string
  job?: { id: string } | null
  scraped: ScrapedParcel | SettledScrape
  kept?: KeptPage | null | undefined
}): CheckedScrape => {
  const { fields, scrape, page = null, bbox } = settleScrape(sourceParcelId, scraped)
  const parcel = { sourceParcelId, ...fields, geom: fields.geom ?? null, bbox }
  return { vendor, jobId: job?.id ?? null, parcel, scrape, page, kept }
}

/** The context of a set of scrapes. */
interface ScrapeSet {
  source: string
  /** The current state of the parcels, locked. */
  before: ReadonlyMap<string, StoredParcel>
  /** The crawl that they are from, if any. */
  crawlId: string | null
  /**
   * Set if the scrapes are from stored pages. Then a scrape has the time of its page, and an owner that is read differently now is not
   * a new owner.
   */
  replayId: string | null
}

interface JudgedScrape {
  parcel: ParcelInput
  /** Merged with the stored one. */
  scrape: Scrape
  row: ScrapeDataRow
  findings: Finding[]
  hadFindings: boolean
}

type Judge = (checked: CheckedScrape, was: StoredParcel | null, is: StoredParcel) => JudgedScrape

/**
 * Writes scrapes of one source, each of a different parcel, in the caller's transaction: parcel fields, scrape data, and findings. A
 * new parcel is written once, with its scrape data. That takes half of the database time of an insert and an update.
 */
export const writeScrapes = async (
  tx: Transaction,
  deps: StoreDeps,
  scrapes: readonly CheckedScrape[],
  set: ScrapeSet,
): Promise<UpsertCounts> => {
  if (scrapes.length === 0) return NOTHING_WRITTEN
  const { source, before } = set
  const judge = createJudge(deps, await findReviewedSource(tx, source), set)
  const isNew = ({ parcel }: CheckedScrape) => !before.has(parcel.sourceParcelId)
  const added = await addParcels(tx, scrapes.filter(isNew), judge, set)
  // This includes parcels that another transaction has just inserted.
  const rest = scrapes.filter(({ parcel }) => !added.some((one) => one.parcel.sourceParcelId === parcel.sourceParcelId))
  const { counts, judged: updated } = await updateParcels(tx, rest, judge, set)
  const judged = [...added, ...updated]
  await storeFindings(
    tx,
    judged
      .filter(({ findings, hadFindings }) => findings.length > 0 || hadFindings)
      .map(({ row, findings }) => ({ parcelId: row.id, findings })),
  )
  const newest = judged
    .flatMap(({ scrape }) => scrape.data_as_of ?? [])
    .sort()
    .at(-1)
  if (newest !== undefined) await advanceDataAsOf(tx, source, newest)
  return { ...counts, inserted: counts.inserted + added.length }
}

/** Merges a scrape into the stored one, and reviews the parcel. `is` is the parcel with the fields of the scrape. */
const createJudge =
  ({ review }: StoreDeps, reviewed: ReviewedSource, set: ScrapeSet): Judge =>
  (checked, was, is) => {
    const { replayId } = set
    const scrape = mergeScrape(was?.scrapeData ?? {}, checked.scrape)
    const input = toReviewInput(was, is, scrape, reviewed)
    if (replayId !== null && input.previous !== null && isReread(was, checked.scrape)) input.previous.ownerName = null
    const findings = boundFindings(review(input))
    if (findings.length > 0) scrape.review_findings = findings.map(toReviewFinding)
    const scrapedAt = replayId === null ? null : checked.scrape.fetched_at
    const row = { id: is.id, scrapedBy: checked.vendor, scrapedAt, scrapeData: scrape, ...reasonOf(checked, set) }
    return { parcel: checked.parcel, scrape, row, findings, hadFindings: is.findings.length > 0 }
  }

/** Returns the scrapes whose parcels were inserted, without those whose parcels already existed. */
const addParcels = async (
  tx: Transaction,
  scrapes: readonly CheckedScrape[],
  judge: Judge,
  set: ScrapeSet,
): Promise<JudgedScrape[]> => {
  if (scrapes.length === 0) return []
  const judged = scrapes.map((checked) => judge(checked, null, newParcel(checked, set)))
  const rows = judged.map(({ parcel, row }) => ({ ...parcel, ...row }))
  const inserted = await insertScrapedParcels(tx, set.source, rows, { cause: causeOf(set), crawlId: set.crawlId })
  return judged.filter(({ parcel }) => inserted.has(parcel.sourceParcelId))
}

/** The parcel that an insert creates, in the form in which it would be read. */
const newParcel = (checked: CheckedScrape, set: ScrapeSet): StoredParcel => ({
  ...newValues(checked.parcel),
  id: randomUUIDv7(),
  sourceParcelId: checked.parcel.sourceParcelId,
  geom: checked.parcel.geom ?? null,
  scrapeData: {},
  crawlId: null,
  findings: [],
  changes: [
    {
      at: new Date().toISOString(),
      action: 'created',
      cause: causeOf(set),
      causeId: reasonOf(checked, set).causeId,
    },
  ],
})

const updateParcels = async (
  tx: Transaction,
  scrapes: readonly CheckedScrape[],
  judge: Judge,
  set: ScrapeSet,
): Promise<{ counts: UpsertCounts; judged: JudgedScrape[] }> => {
  if (scrapes.length === 0) return { counts: NOTHING_WRITTEN, judged: [] }
  const { source, before, crawlId } = set
  const parcels = scrapes.map((checked) => ({ ...checked.parcel, ...reasonOf(checked, set) }))
  const counts = await upsertParcels(tx, source, parcels, { cause: causeOf(set), id: crawlId })
  const ids = parcels.map(({ sourceParcelId }) => sourceParcelId)
  const isAsBefore = counts.unchanged === scrapes.length && ids.every((id) => before.has(id))
  const after = isAsBefore ? before : await readStoredParcels(tx, source, ids)
  const judged = scrapes.map((checked) => {
    const { sourceParcelId } = checked.parcel
    const is = after.get(sourceParcelId)
    if (is === undefined) throw new Error(`parcel ${sourceParcelId} disappeared although it was locked`)
    return judge(checked, before.get(sourceParcelId) ?? null, is)
  })
  await updateScrapeData(
    tx,
    judged.map(({ row }) => row),
    crawlId,
  )
  return { counts, judged }
}

const causeOf = ({ crawlId, replayId }: ScrapeSet) =>
  crawlId !== null ? 'crawl' : replayId !== null ? 'replay' : 'scrape'

/** For the change log: what wrote the values, and where they are from. */
const reasonOf = (checked: CheckedScrape, { crawlId, replayId }: ScrapeSet) => ({
  causeId: crawlId ?? replayId ?? checked.jobId,
  origin: originOf(checked),
})

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

export const toReviewInput = (
  was: StoredParcel | null,
  is: StoredParcel,
  scrape: Scrape,
  { state, cadence }: ReviewedSource,
): ReviewInput => ({
  parcel: is,
  scrape,
  previous:
    was === null || Object.keys(was.scrapeData).length === 0
      ? null
      : { ownerName: was.ownerName, findings: was.findings },
  former: was?.scrapeData ?? {},
  changes: is.changes,
  state,
  dataAsOf: scrape.data_as_of ?? null,
  cadence,
  now: new Date(),
})

const toReviewFinding = ({ severity, category, evidence, suggestedAction }: Finding) => ({
  severity,
  category,
  evidence,
  suggested_action: suggestedAction,
})
