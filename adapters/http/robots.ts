import { ScrapeError } from '../scrape-error'
import { NO_RULES, parseRobots, type RobotRules } from './robot-rules'

const KEEP_MS = 24 * 3600_000
/** How soon a robots.txt that could not be fetched is requested again. */
const ASK_AGAIN_MS = 10 * 60_000
/** RFC 9309's example of "a reasonably long period of time". After it, the host counts as having no robots.txt. */
const GIVE_UP_MS = 30 * 24 * 3600_000
const MAX_HOSTS = 1_000

interface Known {
  /** The newest rules that could be fetched; null: none yet. */
  rules: RobotRules | null
  askAgainAt: number
  /** When fetching began to fail; null: the last fetch worked. */
  unreachableSince: number | null
  /** Why the last fetch failed; null: it worked. */
  failure: ScrapeError | null
  loading: Promise<void> | null
}

/**
 * The robots.txt of each origin, cached for a day (RFC 9309, 2.3.1). All rules are obeyed, not only the crawl-delay. A host
 * without a robots.txt (`load` returns null) forbids nothing. If the host fails to answer (5xx or no response; `load` throws), the
 * last known rules apply; without any, everything is forbidden until it answers. The cache starts empty with the process.
 */
export class Robots {
  readonly #load: (url: URL) => Promise<string | null>
  readonly #userAgent: string
  readonly #known = new Map<string, Known>()

  constructor(load: (url: URL) => Promise<string | null>, userAgent: string) {
    this.#load = load
    this.#userAgent = userAgent
  }

  /** @throws ScrapeError `network` while it cannot be fetched, with the time until the next attempt */
  async rulesOf(origin: string): Promise<RobotRules> {
    const known = this.#of(origin)
    if (known.askAgainAt <= performance.now()) {
      known.loading ??= this.#ask(origin, known).finally(() => {
        known.loading = null
      })
      await known.loading
    }
    if (known.rules !== null) return known.rules
    const reason = known.failure?.message ?? `${new URL(origin).host} did not answer`
    throw new ScrapeError('network', `${reason}, so its robots.txt is not known and nothing else is requested`, {
      retryAfterMs: Math.max(0, Math.ceil(known.askAgainAt - performance.now())),
      failureClass: known.failure?.failureClass ?? (known.failure?.code === 'timeout' ? 'timeout' : null),
    })
  }

  #of(origin: string): Known {
    const known = this.#known.get(origin)
    if (known !== undefined) return known
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MAX_HOSTS && oldest !== undefined) this.#known.delete(oldest)
    const unknown: Known = { rules: null, askAgainAt: 0, unreachableSince: null, failure: null, loading: null }
    this.#known.set(origin, unknown)
    return unknown
  }

  async #ask(origin: string, known: Known): Promise<void> {
    try {
      known.rules = await this.#read(new URL(`${origin}/robots.txt`))
      known.unreachableSince = null
      known.failure = null
      known.askAgainAt = performance.now() + KEEP_MS
    } catch (error) {
      known.failure = error instanceof ScrapeError ? error : null
      const now = performance.now()
      known.unreachableSince ??= now
      known.askAgainAt = now + ASK_AGAIN_MS
      if (now - known.unreachableSince > GIVE_UP_MS) known.rules = NO_RULES
    }
  }

  async #read(url: URL): Promise<RobotRules> {
    const text = await this.#load(url)
    return text === null ? NO_RULES : parseRobots(text, this.#userAgent)
  }
}
