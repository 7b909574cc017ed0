import type { Adapter, FetchContext, ScrapeOverrides, ScrapeTarget } from '../../../adapters/adapter'
import type { Waiting } from '../../../adapters/http/host-turns'
import { ScrapeError } from '../../../adapters/scrape-error'
import { SCRAPE_LIMIT_MS } from '../../../adapters/scrape-limits'
import { createAdmission } from '../../../core/concurrency/admission'
import { untilAborted } from '../../../core/concurrency/until-aborted'
import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { findScrapeTargets } from '../../../drizzle/queries/sources/find-scrape-targets'
import { checkVendorConfig } from '../configure-source'
import { describeFailure } from '../fetch/describe-failure'
import { NO_VALIDATORS, scrapeTookTooLong } from '../fetch/scrape-parcel'
import type { SettledScrape } from '../fetch/settle-scrape'
import type { KeptAnswer } from '../pages/page-set'
import { recordAnswers } from '../pages/record-answers'
import { requireUnpaused } from '../pause-vendor'
import type { Readers } from '../readers/readers'

export interface TryParcelDeps {
  sql: Sql
  findAdapter: (vendor: string) => Adapter | null
  createContext: (source: string, signal: AbortSignal, waiting: Waiting) => FetchContext
  readers: Readers
  allowPrivateSources: boolean
}

export interface TrialRequest {
  source: string
  sourceParcelId: string
  overrides?: ScrapeOverrides
  /** Replaces the stored `vendor_config`. */
  vendorConfig?: Record<string, unknown> | undefined
}

/** A scrape of one parcel that was not stored. */
export interface Trial {
  vendor: string
  target: ScrapeTarget
  /** The portal's responses, even if the scrape failed. */
  answers: KeptAnswer[]
  /** When each response arrived. ISO 8601. */
  answeredAt: string[]
  outcome: { read: SettledScrape } | { failure: { code: string; message: string } }
}

/** Scrapes a parcel for a caller. Refused if too many trials are running. */
export type TryParcel = (request: TrialRequest, options: { caller: string; signal: AbortSignal }) => Promise<Trial>

/** Maximum concurrent trials of one caller, and of all callers of this process. */
const MAX_TRIALS = { ofOne: 2, inAll: 4 }

/**
 * @throws ServiceError as `tryParcel`; `too_many_streams` or `server_unavailable` when too many trials run; `caller_gone` when the caller
 * disconnected
 */
export const createTryParcel = (deps: TryParcelDeps): TryParcel => {
  const admission = createAdmission({ what: 'dry runs', ...MAX_TRIALS })
  return async (request, { caller, signal }) => {
    const leave = admission.admit(caller)
    try {
      return await tryParcel(deps, request, signal)
    } catch (cause) {
      if (signal.aborted) throw new ServiceError('caller_gone', 'the caller closed the connection', { cause })
      throw cause
    } finally {
      leave()
    }
  }
}

/** How long it may wait for its first turn at a host. */
const MAX_WAIT_MS = 30_000

/**
 * Scrapes one parcel as a job does, with the same spacing and limits, and stores nothing. Stored validators are not sent, so that the
 * portal returns the whole page. A failure of the portal is a result.
 *
 * @throws ServiceError `not_found` for an unknown source, `bad_input` for an invalid `vendor_config`, `conflict` when a browser is needed,
 * `vendor_paused`
 */
export const tryParcel = async (
  { sql, findAdapter, createContext, readers, allowPrivateSources }: TryParcelDeps,
  { source, sourceParcelId, overrides = {}, vendorConfig }: TrialRequest,
  abort: AbortSignal,
): Promise<Trial> => {
  const [row] = await findScrapeTargets(sql, [{ source, sourceParcelId }])
  if (row === undefined) throw new ServiceError('not_found', `unknown source: ${source}`)
  await requireUnpaused(sql, source)
  const { vendor, baseUrl, state, countyName, storedNumber, otherSpelling } = row
  const { adapter, config } = checkVendorConfig(
    { source, vendor, vendorConfig: vendorConfig ?? row.vendorConfig, allowPrivateSources },
    findAdapter,
  )
  const target: ScrapeTarget = {
    source,
    sourceParcelId,
    baseUrl,
    state,
    countyName,
    overrides,
    storedNumber,
    otherSpelling,
    validators: NO_VALIDATORS,
    listsLabels: true,
  }
  const limitMs = SCRAPE_LIMIT_MS[adapter.needsBrowser ? 'browser' : 'plain']
  const limit = AbortSignal.timeout(limitMs + MAX_WAIT_MS)
  const over = new AbortController()
  const signal = AbortSignal.any([abort, limit, over.signal])
  const context = createContext(source, signal, { longestMs: MAX_WAIT_MS, pause: () => () => {} })
  if (adapter.needsBrowser && context.openPage === null) {
    throw new ServiceError(
      'conflict',
      `${vendor} needs a browser, which the API does not have. Use the command: bun run adapter prove ${source} --parcel ID`,
    )
  }
  const recording = recordAnswers(adapter, context)
  const finish = (outcome: Trial['outcome']): Trial => ({ vendor, target, ...recording.list(), outcome })
  try {
    const running = readers.scrape({ adapter: recording.adapter, target, config }, recording.context)
    const read = await untilAborted(signal, running)
    if (read === 'not-modified') throw new ScrapeError('page_changed', 'the portal returned 304 to a full request')
    return finish({ read })
  } catch (error) {
    abort.throwIfAborted()
    const late = new ScrapeError('timeout', scrapeTookTooLong(baseUrl, limitMs))
    return finish({ failure: describeFailure(limit.aborted ? late : error) })
  } finally {
    // Closes open browser pages.
    over.abort(new ScrapeError('timeout', 'the scrape is over'))
  }
}
