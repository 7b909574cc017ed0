import { setImmediate } from 'node:timers/promises'
import type { CrawlPage, FetchContext, HttpClient, HttpRequest, RawDocument } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import { READING_BOUNDS } from '../../../core/bounds'
import type { Anonymize, Anonymized } from '../prove/golden-file'
import type { ReadOutcome, Said, SentError, SentPage, Told, Work } from './messages'
import { type Reader, type ReaderEnd, ReaderEnded, startReader } from './reader'
import type { AdapterCrawl, AdapterScrape, Readers } from './readers'

export interface ReaderPool extends Readers {
  /** @throws ScrapeError as `scrape` */
  anonymize: Anonymize
  /** The pids of the reader processes. */
  pids: () => number[]
  stop: () => void
}

export interface ReaderPoolOptions {
  /** Called for each page that ended a reader. */
  onKill?: (about: { vendor: string; source: string; why: ReaderEnd }) => void
  mostReaders?: number
  /** For one page. Default: READING_BOUNDS.timeMs */
  timeMs?: number
  /** For tests, whose adapters are not in the registry. The program must call `serveReader`. */
  program?: string
}

/** Two, because one page may block a reader for seconds. Each uses about 110 MB, and at most READING_BOUNDS.memoryBytes. */
const MAX_READERS = 2
/** A scrape that loses its reader to another scrape's page restarts at most this often. One crash of a reader may be chance. */
const MAX_STARTS = 5
const MAX_CRASHES = 2

/**
 * A pool of reader processes. An adapter runs entirely in one; its requests to portals are sent from here, so that one client handles
 * spacing, cookies and address checks. Each scrape stays with one reader, and a reader has several scrapes. The first reader starts with the
 * first scrape, others when all are busy with a page; a reader that had to be killed is replaced immediately.
 */
export const createReaderPool = ({
  onKill = () => {},
  mostReaders = MAX_READERS,
  timeMs = READING_BOUNDS.timeMs,
  program,
}: ReaderPoolOptions = {}): ReaderPool => {
  let readers: Reader[] = []
  let sessions = 0
  let isStopped = false

  const start = (): Reader => {
    const reader = startReader(timeMs, program)
    readers.push(reader)
    return reader
  }

  const pickReader = (): Reader => {
    if (isStopped) throw new Error('the readers were stopped')
    readers = readers.filter(({ isSpent }) => !isSpent)
    const [idlest] = readers.toSorted((one, other) => one.turns - other.turns)
    return idlest === undefined || (idlest.turns > 0 && readers.length < mostReaders) ? start() : idlest
  }

  /** Does the work with a reader, and repeats it with another one if the reader ended through no fault of this work. */
  const insist = async <Result>(
    { vendor, source }: { vendor: string; source: string },
    work: () => Promise<Result>,
  ): Promise<Result> => {
    let crashes = 0
    for (let starts = 1; ; starts++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof ReaderEnded) || isStopped) throw error
        const { why } = error
        if (why !== 'lost') {
          onKill({ vendor, source, why })
          pickReader()
        }
        if (why === 'time' || why === 'memory')
          throw tooCostly(why === 'time' ? `${timeMs / 1000} s` : `${READING_BOUNDS.memoryBytes / 1024 ** 2} MB`)
        if (why === 'crash' && ++crashes === MAX_CRASHES) {
          throw new ScrapeError('page_changed', 'the response crashed the reader process each time: it was not read')
        }
        if (starts === MAX_STARTS) throw new ScrapeError('network', `the reader process ended ${starts} times`)
      }
    }
  }

  /** `startAsking` is called for each reader that the work starts with. */
  const read = (work: ScrapeWork, startAsking: () => Ask): Promise<ReadOutcome> =>
    insist({ vendor: work.vendor, source: work.target.source }, async () => {
      for await (const said of converse(pickReader(), ++sessions, work, startAsking())) {
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
    insist({ vendor, source: golden.source }, async () => {
      const work: Work = { kind: 'anonymize', vendor, golden, vocabulary }
      for await (const said of converse(pickReader(), ++sessions, work, refuseToAsk)) {
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
      pages ??= converse(pickReader(), ++sessions, work, ask)
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
        const page = await insist({ vendor, source: source.source }, readPage)
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
    pids: () => readers.filter(({ isSpent }) => !isSpent).map(({ pid }) => pid),
    stop: () => {
      isStopped = true
      for (const reader of readers) reader.kill()
    },
  }
}

type ScrapeWork = Exclude<Work, { kind: 'crawl' | 'anonymize' }>
type Outcome = Extract<Said, { parcel: string } | { page: SentPage } | { golden: string } | { isOver: true }>
type Conversation = AsyncGenerator<Outcome, void>
type Ask = (said: Extract<Said, { asked: HttpRequest }>) => Promise<RawDocument>

/**
 * One session of a reader, from start to end: sends its requests and yields its results.
 *
 * @throws ReaderEnded; what the adapter throws, and the error of a request if the adapter rethrows it
 */
async function* converse(reader: Reader, session: number, work: Work, ask: Ask): Conversation {
  const stillRunning = new Map<number, Promise<Told>>()
  const errors = new Map<number, unknown>()
  let isOver = false
  try {
    let told: Told = { session, work }
    for (;;) {
      const goOn: Told[] = []
      for (const one of await reader.take(told)) {
        if ('asked' in one) {
          const { request } = one
          const failed = (error: unknown): Told => {
            errors.set(request, error)
            return { session, request, error: toSent(error) }
          }
          stillRunning.set(
            request,
            ask(one).then((document): Told => ({ session, request, document }), failed),
          )
          continue
        }
        isOver = !('page' in one)
        if ('error' in one) throw one.of === null ? toError(one.error) : errors.get(one.of)
        yield one
        if (isOver) return
        goOn.push({ session, next: true })
      }
      if (goOn.length + stillRunning.size === 0) throw new Error('a reader stopped without a request or a result')
      told = goOn[0] ?? (await Promise.race(stillRunning.values()))
      if ('request' in told) stillRunning.delete(told.request)
    }
  } finally {
    if (!isOver) reader.forget(session)
  }
}

/** Sends a reader's requests through the job's client; each jar of a session is a separate client. */
const askThrough = (http: HttpClient): Ask => {
  const clients = new Map([[0, http]])
  return ({ jar, asked }) => {
    const client = clients.get(jar) ?? http.withOwnCookies()
    clients.set(jar, client)
    return client.request(asked)
  }
}

const refuseToAsk: Ask = () => Promise.reject(new Error('kept answers need no request'))

/** Each request is sent to a portal once: if the work restarts, repeated requests get the remembered responses. */
const rememberAnswers = (ask: Ask): (() => Ask) => {
  const known: { key: string; answer: Promise<RawDocument> }[] = []
  return () => {
    let place = 0
    return (said) => {
      const key = JSON.stringify([said.jar, said.asked])
      if (known[place]?.key !== key) known.splice(place, known.length, { key, answer: ask(said) })
      return (known[place++] as (typeof known)[number]).answer
    }
  }
}

/** Parses piece by piece, and lets other work run in between. */
const toPage = async ({ parcels, ...page }: SentPage): Promise<CrawlPage> => {
  const read: CrawlPage['parcels'] = []
  for (const piece of parcels) {
    for (const parcel of JSON.parse(piece) as CrawlPage['parcels']) read.push(parcel)
    await setImmediate()
  }
  return { ...page, parcels: read }
}

const tooCostly = (limit: string): ScrapeError =>
  new ScrapeError('too_large', `the response takes more than ${limit} to read: it was not read`)

const toSent = (error: unknown): SentError => ({
  code: error instanceof ScrapeError ? error.code : null,
  message: error instanceof Error ? error.message : String(error),
  retryAfterMs: error instanceof ScrapeError ? error.retryAfterMs : null,
  failureClass: error instanceof ScrapeError ? error.failureClass : null,
  stack: undefined,
})

const toError = ({ code, message, retryAfterMs, failureClass, stack }: SentError): Error => {
  if (code !== null) return new ScrapeError(code, message, { retryAfterMs, failureClass })
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
