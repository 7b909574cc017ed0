import { setImmediate } from 'node:timers/promises'
import type { Adapter, FetchContext, HttpClient, HttpRequest, RawDocument } from '../../../adapters/adapter'
import { readScrape } from '../../../adapters/read-scrape'
import { ScrapeError } from '../../../adapters/scrape-error'
import { READING_BOUNDS } from '../../../core/bounds'
import { settlePage, settleScrape } from '../fetch/settle-scrape'
import type { ReadOutcome, Said, SentError, SentPage, Told, Turn, Work } from './messages'
import { readHere } from './readers'
import { toError, toSent } from './sent-error'

/**
 * Above this size, the garbage of the last page is collected before the next page, so that it does not count toward the next page's
 * limit.
 */
const TIDY_BYTES = 200 * 1024 * 1024

/** Parcels per piece of JSON of a crawl's page. */
const PARCELS_IN_A_PIECE = 100

type FindAdapter = (vendor: string) => Adapter | null

interface Asked {
  resolve: (document: RawDocument) => void
  reject: (error: Error) => void
}

class Session {
  readonly #work: Work
  readonly #findAdapter: FindAdapter
  readonly #asked = new Map<number, Asked>()
  readonly #ended = new AbortController()
  /** The request that failed with each error. */
  readonly #failures = new Map<unknown, number>()
  #said: Said[] = []
  #requests = 0
  #jars = 0
  #goOn: (() => void) | null = null
  #isOver = false

  constructor(work: Work, findAdapter: FindAdapter) {
    this.#work = work
    this.#findAdapter = findAdapter
    void this.#run()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  answer(request: number, answer: RawDocument | SentError): void {
    const asked = this.#asked.get(request)
    this.#asked.delete(request)
    if ('body' in answer) {
      asked?.resolve(answer)
      return
    }
    const error = toError(answer)
    this.#failures.set(error, request)
    asked?.reject(error)
  }

  next(): void {
    this.#goOn?.()
  }

  forget(): void {
    const error = new Error('the session was dropped')
    this.#ended.abort(error)
    for (const { reject } of this.#asked.values()) reject(error)
    this.#goOn?.()
  }

  /** Its messages until it waits for a reply or is finished. */
  async takeMessages(): Promise<Said[]> {
    do await setImmediate()
    while (!this.#isOver && this.#asked.size === 0 && this.#goOn === null)
    const said = this.#said
    this.#said = []
    return said
  }

  async #run(): Promise<void> {
    try {
      if (this.#work.kind === 'crawl') await this.#crawl(this.#work)
      else if (this.#work.kind === 'anonymize') {
        // Readers rarely do this, and start faster without it.
        const { anonymizeGoldenPage } = await import('../prove/anonymize-golden-page')
        const { golden: given, vocabulary } = this.#work
        const golden = await anonymizeGoldenPage(readHere, this.#adapterOf(this.#work), given, vocabulary)
        this.#said.push({ golden: JSON.stringify(golden) })
      } else {
        const parcel = sized(JSON.stringify(await this.#scrape(this.#work)))
        this.#said.push({ parcel })
      }
    } catch (error) {
      this.#said.push({ error: toSent(error, { withStack: true }), of: this.#failures.get(error) ?? null })
    } finally {
      this.#isOver = true
    }
  }

  async #scrape(work: Exclude<Work, { kind: 'crawl' | 'anonymize' }>): Promise<ReadOutcome> {
    const { target, config } = work
    const adapter = this.#adapterOf(work)
    if (work.kind === 'replay') return readHere.replay({ adapter, target, config: config as object }, work.answers)
    const fetched = work.kind === 'parse' ? work : await adapter.fetch(target, config, this.#context())
    if ('notModified' in fetched) return 'not-modified'
    return settleScrape(target.sourceParcelId, readScrape(adapter, fetched.documents, target, config))
  }

  async #crawl(work: Work & { kind: 'crawl' }): Promise<void> {
    const adapter = this.#adapterOf(work)
    if (adapter.crawl === undefined) throw new ScrapeError('bad_config', `${work.vendor} cannot be crawled`)
    for await (const page of adapter.crawl(work.source, work.config, this.#context())) {
      const { parcels, ...rest } = settlePage(page)
      const pieces: SentPage = { ...rest, parcels: [] }
      for (let from = 0; from < parcels.length; from += PARCELS_IN_A_PIECE) {
        pieces.parcels.push(JSON.stringify(parcels.slice(from, from + PARCELS_IN_A_PIECE)))
      }
      this.#said.push({ page: pieces })
      await new Promise<void>((resolve) => {
        this.#goOn = resolve
      })
      this.#goOn = null
      if (this.#ended.signal.aborted) return
    }
    this.#said.push({ isOver: true })
  }

  #adapterOf({ vendor }: Work): Adapter {
    const adapter = this.#findAdapter(vendor)
    if (adapter === null) throw new ScrapeError('bad_config', `there is no adapter for the vendor ${vendor}`)
    return adapter
  }

  #context(): FetchContext {
    return { http: this.#clientOf(0), openPage: null, signal: this.#ended.signal }
  }

  #clientOf(jar: number): HttpClient {
    return {
      request: (asked) => this.#ask(jar, asked),
      withOwnCookies: () => this.#clientOf(++this.#jars),
    }
  }

  #ask(jar: number, asked: HttpRequest): Promise<RawDocument> {
    this.#ended.signal.throwIfAborted()
    if (this.#requests === READING_BOUNDS.requests && this.#work.kind !== 'crawl') {
      throw new ScrapeError('page_changed', `one parcel takes more than ${READING_BOUNDS.requests} requests`)
    }
    if (sizeOf(asked) > READING_BOUNDS.requestCharacters) {
      throw new ScrapeError(
        'too_large',
        `the ${asked.name} request has more than ${READING_BOUNDS.requestCharacters} characters`,
      )
    }
    const request = ++this.#requests
    const { promise, resolve, reject } = Promise.withResolvers<RawDocument>()
    this.#asked.set(request, { resolve, reject })
    this.#said.push({ request, jar, asked })
    return promise
  }
}

/** A page's form is posted back unchanged, so its size counts. */
const sizeOf = ({ url, form = {}, json }: HttpRequest): number =>
  url.length +
  Object.entries(form).reduce((sum, [name, value]) => sum + name.length + value.length, 0) +
  (json === undefined ? 0 : JSON.stringify(json).length)

const sized = (json: string): string => {
  if (json.length <= READING_BOUNDS.parcelCharacters) return json
  throw new ScrapeError(
    'too_large',
    `the parcel's data has ${json.length} characters, more than ${READING_BOUNDS.parcelCharacters}`,
  )
}

/**
 * Makes this process a reader. It runs adapters for the process that started it, which sends their requests, and kills it when a
 * turn exceeds the time or memory limit. It has no network, no database, and an empty environment.
 */
export const serveReader = (findAdapter: FindAdapter): void => {
  const sessions = new Map<number, Session>()

  const hear = async (told: Told): Promise<void> => {
    if ('forget' in told) {
      sessions.get(told.session)?.forget()
      sessions.delete(told.session)
      return
    }
    if ('work' in told) sessions.set(told.session, new Session(told.work, findAdapter))
    const session = sessions.get(told.session)
    if (session === undefined) throw new Error(`unknown session ${told.session}`)
    if ('document' in told) session.answer(told.request, told.document)
    if ('error' in told) session.answer(told.request, told.error)
    if ('next' in told) session.next()
    const turn: Turn = { said: await session.takeMessages() }
    if (session.isOver) sessions.delete(told.session)
    if (process.memoryUsage.rss() > TIDY_BYTES) Bun.gc(true)
    process.send?.(turn)
  }

  process.on('message', (told: Told) => void hear(told))
  // Ignores failed requests that nothing awaits, because the session's outcome is enough.
  process.on('unhandledRejection', () => {})
  process.on('disconnect', () => process.exit(0))
  // A separate thread, because a page may block this process's event loop when the service dies.
  new Worker(new URL('../../../core/concurrency/end-with-parent.ts', import.meta.url).href, { smol: true })
  process.send?.({ said: [] } satisfies Turn)
}
