import type { ScrapeOverrides } from '../../../adapters/adapter'
import { createBrowser } from '../../../adapters/browser/browser'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { findAdapter } from '../../../adapters/registry'
import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { readConfig } from '../../config'
import { type Trial, type TrialRequest, tryParcel } from '../../scrape/prove/try-parcel'
import { createReaderPool } from '../../scrape/readers/reader-pool'
import { UsageError } from '../command/command'
import { listenForStop } from '../command/stop-signal'

export interface Trials {
  tryParcel: (request: TrialRequest) => Promise<Trial>
  close: () => Promise<void>
}

/** Scrapes parcels from a command, even if the portal needs a browser. */
export const openTrials = (sql: Sql): Trials => {
  const { userAgent, allowPrivateSources, chromiumPath } = readConfig()
  const portals = createPortalAccess({ userAgent, allowPrivate: allowPrivateSources })
  const browser = createBrowser({ executablePath: chromiumPath, userAgent, portals })
  const readers = createReaderPool()
  const stop = listenForStop(new ServiceError('cancelled', 'the dry run was stopped'))
  const createContext: Parameters<typeof tryParcel>[0]['createContext'] = (source, signal, waiting) => ({
    http: portals.clientFor(source, signal, waiting),
    openPage: () => browser.openPage(signal, waiting),
    signal,
  })
  return {
    tryParcel: (request) => tryParcel({ sql, findAdapter, createContext, readers, allowPrivateSources }, request, stop),
    close: async () => {
      readers.stop()
      await browser.stop()
    },
  }
}

/** @throws UsageError */
export const readOverrides = (json: string | undefined): ScrapeOverrides => {
  if (json === undefined) return {}
  try {
    return JSON.parse(json)
  } catch {
    throw new UsageError(`--overrides is not JSON: ${json}`)
  }
}
