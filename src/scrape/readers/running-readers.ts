import { ScrapeError } from '../../../adapters/scrape-error'
import { READING_BOUNDS } from '../../../core/bounds'
import type { Ask } from './ask'
import { type Conversation, converse } from './conversation'
import type { Work } from './messages'
import { type Reader, type ReaderEnd, ReaderEnded, startReader } from './reader'

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
 * The reader processes of a pool. The first one starts with the first work, others when all are busy with a page; a reader that had to be
 * killed is replaced immediately.
 */
export class RunningReaders {
  readonly #onKill: NonNullable<ReaderPoolOptions['onKill']>
  readonly #mostReaders: number
  readonly #timeMs: number
  readonly #program: string | undefined
  #readers: Reader[] = []
  #sessions = 0
  #isStopped = false

  constructor({
    onKill = () => {},
    mostReaders = MAX_READERS,
    timeMs = READING_BOUNDS.timeMs,
    program,
  }: ReaderPoolOptions) {
    this.#onKill = onKill
    this.#mostReaders = mostReaders
    this.#timeMs = timeMs
    this.#program = program
  }

  /** Begins a session with the reader that has the fewest turns. */
  begin(work: Work, ask: Ask): Conversation {
    return converse(this.#pick(), ++this.#sessions, work, ask)
  }

  /** Does work with a reader, and repeats it with another one if the reader ended through no fault of this work. */
  async insist<Result>(about: { vendor: string; source: string }, work: () => Promise<Result>): Promise<Result> {
    let crashes = 0
    for (let starts = 1; ; starts++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof ReaderEnded) || this.#isStopped) throw error
        const { why } = error
        if (why !== 'lost') {
          this.#onKill({ ...about, why })
          this.#pick()
        }
        if (why === 'time') throw tooCostly(`${this.#timeMs / 1000} s`)
        if (why === 'memory') throw tooCostly(`${READING_BOUNDS.memoryBytes / 1024 ** 2} MB`)
        if (why === 'crash' && ++crashes === MAX_CRASHES) {
          throw new ScrapeError('page_changed', 'the response crashed the reader process each time: it was not read')
        }
        if (starts === MAX_STARTS) throw new ScrapeError('network', `the reader process ended ${starts} times`)
      }
    }
  }

  pids(): number[] {
    return this.#readers.filter(({ isSpent }) => !isSpent).map(({ pid }) => pid)
  }

  stop(): void {
    this.#isStopped = true
    for (const reader of this.#readers) reader.kill()
  }

  #pick(): Reader {
    if (this.#isStopped) throw new Error('the readers were stopped')
    this.#readers = this.#readers.filter(({ isSpent }) => !isSpent)
    const [idlest] = this.#readers.toSorted((one, other) => one.turns - other.turns)
    if (idlest !== undefined && (idlest.turns === 0 || this.#readers.length >= this.#mostReaders)) return idlest
    const reader = startReader(this.#timeMs, this.#program)
    this.#readers.push(reader)
    return reader
  }
}

const tooCostly = (limit: string): ScrapeError =>
  new ScrapeError('too_large', `the response takes more than ${limit} to read: it was not read`)
