import type { Adapter } from '../../../adapters/adapter'
import type { Sql, Transaction } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import {
  listNewerValues,
  listParcelsToReplay,
  listReplayedChanges,
  type PageToReplay,
  type ParcelToReplay,
  type ReplayedChange,
} from '../../../drizzle/queries/pages/list-pages'
import { readStoredParcels } from '../../../drizzle/queries/parcels/read-stored-parcels'
import { findScrapeTargets, type ScrapeTargetRow } from '../../../drizzle/queries/sources/find-scrape-targets'
import { findSourceVendor } from '../../../drizzle/queries/sources/sources'
import { describeFailure } from '../fetch/describe-failure'
import { describeScrape, NO_VALIDATORS } from '../fetch/scrape-parcel'
import { type SettledScrape, settleScrape } from '../fetch/settle-scrape'
import type { Readers } from '../readers/readers'
import { checkScrape, type StoreDeps, writeScrapes } from '../store/write-scrapes'
import { decodePageSet } from './page-set'
import type { PageStore } from './page-store'
import { countChanges, countRefused, emptyReport, type ReplayReport } from './replay-report'
import { withoutNewerValues } from './without-newer-values'

export interface ReplayDeps extends StoreDeps {
  sql: Sql
  store: PageStore
  readers: Readers
  findAdapter: (vendor: string) => Adapter | null
}

export interface ReplayRequest {
  source: string
  /** Only this parcel. */
  parcel?: string | null
  /** Only pages from this time on (ISO 8601). */
  since?: string | null
  /** False: everything is rolled back. */
  isApplied: boolean
  signal?: AbortSignal
  onProgress?: (parcels: number) => void
}

/** How many parcels are written together. Two batches are in memory at a time. */
const BATCH = 100
const MAX_READS = 8
/** The result of reading a page set with the current adapter. */
interface ReadPage {
  sourceParcelId: string
  page: PageToReplay
  scraped: SettledScrape
}

/**
 * Reads the stored pages of a source with the current adapter and stores the results like scrapes. Without `isApplied`, each batch is
 * written and rolled back, so that the reported differences are exactly those that applying would make. For each parcel, the newest
 * readable page counts. No request is sent. A value that is newer than its page stays.
 *
 * @throws ServiceError `not_found` for an unknown source, `bad_config` without an adapter; the signal's reason
 */
export const replayPages = async (deps: ReplayDeps, request: ReplayRequest): Promise<ReplayReport> => {
  const { sql, findAdapter } = deps
  const { source, parcel = null, since = null, signal, onProgress } = request
  const vendor = await findSourceVendor(sql, source)
  if (vendor === null) throw new ServiceError('not_found', `unknown source: ${source}`)
  const adapter = findAdapter(vendor)
  if (adapter === null) throw new ServiceError('bad_config', `there is no adapter for the vendor ${vendor}`)
  const report = emptyReport()
  const readBatch = async (after: string | null): Promise<Batch | null> => {
    const parcels = await listParcelsToReplay(sql, source, { parcel, since, after, limit: BATCH })
    const last = parcels.at(-1)?.sourceParcelId
    if (last === undefined) return null
    return { last, parcels: parcels.length, pages: await readParcels(deps, { adapter, source, parcels }, report) }
  }
  let version = 0
  let next = readBatch(null)
  for (;;) {
    const batch = await next
    if (batch === null) return report
    signal?.throwIfAborted()
    // The readers read a batch while the database writes the previous one.
    next = readBatch(batch.last)
    next.catch(() => {})
    const changes = await writePages(deps, { ...request, vendor, pages: batch.pages, version }, report)
    countChanges(report, changes)
    version = changes.at(-1)?.version ?? version
    report.parcels += batch.parcels
    onProgress?.(report.parcels)
  }
}

/** Parcels that are written together, and the results of reading their pages. */
interface Batch {
  /** The id of the last parcel. */
  last: string
  parcels: number
  pages: ReadPage[]
}

const readParcels = async (
  deps: ReplayDeps,
  { adapter, source, parcels }: { adapter: Adapter; source: string; parcels: readonly ParcelToReplay[] },
  report: ReplayReport,
): Promise<ReadPage[]> => {
  const rows = await findScrapeTargets(
    deps.sql,
    parcels.map(({ sourceParcelId }) => ({ source, sourceParcelId })),
  )
  const targets = new Map(rows.map((row) => [row.sourceParcelId, row]))
  const read: ReadPage[] = []
  const left = parcels.values()
  const readNext = async (): Promise<void> => {
    for (const { sourceParcelId, pages } of left) {
      const target = targets.get(sourceParcelId)
      if (target === undefined) continue
      for (const page of pages) {
        const scraped = await readPage(deps, { adapter, target, page }, report)
        if (scraped === null) continue
        read.push({ sourceParcelId, page, scraped })
        break
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_READS }, readNext))
  return read
}

/** Null: the page could not be read. The report says why. */
const readPage = async (
  { store, readers }: ReplayDeps,
  { adapter, target, page }: { adapter: Adapter; target: ScrapeTargetRow; page: PageToReplay },
  report: ReplayReport,
): Promise<SettledScrape | null> => {
  const { hash, answeredAt, overrides } = page
  try {
    const bytes = await store.get(hash)
    if (bytes === null) {
      report.lost++
      return null
    }
    const set = await decodePageSet(hash, bytes)
    const scrape = describeScrape(adapter, target, { overrides, validators: NO_VALIDATORS })
    const read = await readers.replay(scrape, { set, answeredAt })
    if (read === 'not-modified') return null
    report.read++
    return settleScrape(target.sourceParcelId, read)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'archive_damaged') {
      report.lost++
      return null
    }
    if (error instanceof ServiceError && ['server_unavailable', 'bad_config'].includes(error.code)) throw error
    const { code, message } = describeFailure(error)
    countRefused(report, target.sourceParcelId, code, message)
    return null
  }
}

/** Passes the changes out of a transaction that must be rolled back. */
class RolledBack extends Error {
  readonly changes: ReplayedChange[]

  constructor(changes: ReplayedChange[]) {
    super('rolled back')
    this.changes = changes
  }
}

const writePages = async (
  { sql, review }: ReplayDeps,
  {
    source,
    vendor,
    pages,
    isApplied,
    version,
  }: Pick<ReplayRequest, 'source' | 'isApplied'> & { vendor: string; pages: readonly ReadPage[]; version: number },
  report: ReplayReport,
): Promise<ReplayedChange[]> => {
  if (pages.length === 0) return []
  const write = async (tx: Transaction): Promise<ReplayedChange[]> => {
    const ids = pages.map(({ sourceParcelId }) => sourceParcelId)
    const before = await readStoredParcels(tx, source, ids)
    const fetched = pages.map(({ sourceParcelId, page }) => ({ sourceParcelId, fetchedAt: page.fetchedAt }))
    const newer = new Map((await listNewerValues(tx, source, fetched)).map((row) => [row.sourceParcelId, row]))
    const checked = pages.flatMap(({ sourceParcelId, page, scraped }) => {
      const stored = before.get(sourceParcelId)?.scrapeData ?? {}
      const kept = { hash: page.hash, fetchedAt: page.fetchedAt }
      const scrape = checkScrape({ sourceParcelId, vendor, scraped, kept })
      return withoutNewerValues(scrape, { stored, newer: newer.get(sourceParcelId), report }) ?? []
    })
    await writeScrapes(tx, { review }, checked, { source, before, crawlId: null, replayId: report.id })
    const changes = await listReplayedChanges(tx, report.id, version)
    if (!isApplied) throw new RolledBack(changes)
    return changes
  }
  try {
    return (await sql.begin(write)) as ReplayedChange[]
  } catch (error) {
    if (error instanceof RolledBack) return error.changes
    throw error
  }
}
