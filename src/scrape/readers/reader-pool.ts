import { setImmediate } from 'node:timers/promises'
import type { CrawlPage, FetchContext } from '../../../adapters/adapter'
import type { Anonymize, Anonymized } from '../prove/golden-file'
import { type Ask, askThrough, refuseToAsk, rememberAnswers } from './ask'
import type { Conversation } from './conversation'
import type { ReadOutcome, SentPage, Work } from './messages'
import type { AdapterCrawl, AdapterScrape, Readers } from './readers'
import { type ReaderPoolOptions, RunningReaders } from './running-readers'

export interface ReaderPool extends Readers {
  /** @throws ScrapeError as `scrape` */
  anonymize: Anonymize
  /** The pids of the reader processes. */
  pids: () => number[]
  stop: () => void
}

/**
 * A pool of reader processes. An adapter runs entirely in one; its requests to portals are sent from here, so that one client handles
 * spacing, cookies and address checks. Each scrape stays with one reader, and a reader has several scrapes.
 */
export const createReaderPool = (options: ReaderPoolOptions = {}): ReaderPool => {
  const running = new RunningReaders(options)

  /** `startAsking` is called for each reader that the work starts with. */
  const read = (work: ScrapeWork, startAsking: () => Ask): Promise<ReadOutcome> =>
    running.insist({ vendor: work.vendor, source: work.target.source }, async () => {
      for await (const said of running.begin(work, startAsking())) {
        if ('parcel' in said) return JSON.parse(said.parcel) as ReadOutcome
      }
      throw new Error('a reader finished without a parcel')
    })

  const scrape = async ({ adapter, target, config }: AdapterScrape, context: FetchContext): Promise<ReadOutcome> => {
    const { vendor, needsBrowser } = adapter
    const startAsking = rememberAnswers(askThrough(context.http))
    if (!needsBrowser) return read({ kind: 'scrape', vendor, target, config }, startAsking)
    const fetched = await adapter.fetch(target, config, context)
    if ('notModified' in fetched) return 'not-modified'
    return read({ kind: 'parse', vendor, target, config, documents: fetched.documents }, startAsking)
  }

  const replay: Readers['replay'] = ({ adapter: { vendor }, target, config }, answers) =>
    read({ kind: 'replay', vendor, target, config, answers }, () => refuseToAsk)

  const anonymize: Anonymize = ({ vendor }, golden, vocabulary) =>
    running.insist({ vendor, source: golden.source }, async () => {
      const work: Work = { kind: 'anonymize', vendor, golden, vocabulary }
      for await (const said of running.begin(work, refuseToAsk)) {
        if ('golden' in said) return JSON.parse(said.golden) as Anonymized
      }
      throw new Error('a reader finished without a golden page')
    })

  async function* crawl({ adapter, source, config }: AdapterCrawl, context: FetchContext): AsyncGenerator<CrawlPage> {
    const { vendor } = adapter
    const ask = askThrough(context.http)
    let { cursor } = source
    let pages: Conversation | null = null
    const readPage = async (): Promise<CrawlPage | null> => {
      const work: Work = { kind: 'crawl', vendor, source: { ...source, cursor }, config }
      pages ??= running.begin(work, ask)
      try {
        const { value: said } = await pages.next()
        return said !== undefined && 'page' in said ? await toPage(said.page) : null
      } catch (error) {
        pages = null
        throw error
      }
    }
    try {
      for (;;) {
        const page = await running.insist({ vendor, source: source.source }, readPage)
        if (page === null) return
        yield page
        cursor = page.cursor
        if (cursor === null) return
      }
    } finally {
      await (pages as Conversation | null)?.return(undefined)
    }
  }

  return {
    scrape,
    replay,
    crawl,
    anonymize,
    pids: () => running.pids(),
    stop: () => running.stop(),
  }
}

type ScrapeWork = Exclude<Work, { kind: 'crawl' | 'anonymize' }>

/** Parses piece by piece, and lets other work run in between. */
const toPage = async ({ parcels, ...page }: SentPage): Promise<CrawlPage> => {
  const read: CrawlPage['parcels'] = []
  for (const piece of parcels) {
    for (const parcel of JSON.parse(piece) as CrawlPage['parcels']) read.push(parcel)
    await setImmediate()
  }
  return { ...page, parcels: read }
}
