import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Adapter, RawDocument, ScrapeOverrides, ScrapeTarget } from '../../../adapters/adapter'
import { createBrowser } from '../../../adapters/browser/browser'
import { checkConfig } from '../../../adapters/check-config'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { readScrape } from '../../../adapters/read-scrape'
import { listScrapeProblems } from '../../../adapters/scrape-problems'
import { describeFileError } from '../../../core/files/describe-file-error'
import { ServiceError } from '../../../core/service-error'
import { splitFields } from '../../../dev/adapter-cases/found-fields'
import { readConfig } from '../../config'
import { orUsageError } from '../command/command'

export interface Trial {
  parcel: string
  baseUrl: string | undefined
  /** A JSON file with the `vendor_config`. */
  config: string | undefined
  /** JSON. */
  overrides: string | undefined
  /** `FILE` or `NAME=FILE`: documents to read instead of requesting them from the portal. */
  pages: readonly string[]
  /** The folder for the documents. */
  save: string | undefined
}

const TIME_LIMIT_MS = 120_000

/**
 * Scrapes one parcel and stores nothing. Prints the scrape to standard output as JSON, and the documents, the missing fields and the
 * unread labels to standard error.
 */
export const tryAdapter = async (adapter: Adapter, trial: Trial): Promise<void> => {
  const { userAgent, allowPrivateSources, chromiumPath } = readConfig()
  const given = trial.config === undefined ? {} : readJson(readText(trial.config), trial.config)
  const config = checkConfig(adapter.config, given, { allowPrivate: allowPrivateSources })
  const target: ScrapeTarget = {
    source: 'trial',
    sourceParcelId: trial.parcel,
    state: 'XX',
    countyName: 'Trial',
    baseUrl: (trial.baseUrl ?? 'https://portal.example').replace(/\/+$/, ''),
    overrides: trial.overrides === undefined ? {} : await readOverrides(trial.overrides),
    storedNumber: null,
    otherSpelling: null,
    validators: { etag: null, lastModified: null },
  }
  const signal = AbortSignal.timeout(TIME_LIMIT_MS)
  const fetchDocuments = async (): Promise<RawDocument[]> => {
    const portals = createPortalAccess({ userAgent, allowPrivate: allowPrivateSources })
    const http = portals.clientFor(target.source, signal)
    const browser = createBrowser({ executablePath: chromiumPath, userAgent, portals })
    try {
      const openPage = () => browser.openPage(signal)
      const fetched = await adapter.fetch(target, config, { http, openPage, signal })
      return 'documents' in fetched ? fetched.documents : []
    } finally {
      await browser.stop()
    }
  }
  const documents = trial.pages.length > 0 ? trial.pages.map(readPageFile) : await fetchDocuments()
  for (const { name, url, status, body } of documents) {
    console.error(`${name}: ${url} (${status}, ${Buffer.byteLength(body)} bytes)`)
  }
  if (trial.save !== undefined) saveDocuments(documents, trial.save)

  const { report, ...scraped } = readScrape(adapter, documents, target, config)
  console.log(JSON.stringify(scraped, null, 2))
  const { absent } = splitFields(scraped)
  console.error(absent.length === 0 ? '\nEvery field was found.' : `\nNot found: ${absent.join(', ')}`)
  if (report !== undefined && report.unread.length > 0)
    console.error(`On the page, but not read: ${report.unread.join(', ')}`)
  for (const warning of report?.warnings ?? []) console.error(`Warning: ${warning}`)
  for (const problem of listScrapeProblems(scraped.scrape)) console.error(`Does not match the contract: ${problem}`)
}

const readOverrides = (text: string): Promise<ScrapeOverrides> =>
  orUsageError('', () => readJson(text, '--overrides') as ScrapeOverrides)

const readPageFile = (page: string): RawDocument => {
  const [, named, file = page] = /^([\w-]+)=(.+)$/.exec(page) ?? []
  const type = extname(file) === '.json' ? 'application/json' : 'text/html'
  return {
    name: named ?? basename(file, extname(file)),
    url: `file:${file}`,
    status: 200,
    headers: { 'content-type': type },
    body: readText(file),
    fetchedAt: new Date().toISOString(),
  }
}

const saveDocuments = (documents: readonly RawDocument[], folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    throw new ServiceError('bad_input', `--save: ${describeFileError(cause, folder) ?? cause}`, { cause })
  }
  for (const { name, headers, body } of documents) {
    const file = join(folder, `${name}.${headers['content-type']?.includes('json') ? 'json' : 'html'}`)
    writeFileSync(file, body)
    console.error(`saved as ${file}`)
  }
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ServiceError('bad_input', describeFileError(cause, file) ?? `${file} cannot be read`, { cause })
  }
}

const readJson = (text: string, where: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('bad_input', `${where} is not JSON`, { cause })
  }
}
