import { ScrapeError } from '../scrape-error'
import { NO_RULES, parseRobots, type RobotRules } from './robot-rules'

const KEEP_MS = 24 * 3600_000
/** A robots.txt that could not be had is asked for again soon. */
const ASK_AGAIN_MS = 10 * 60_000
/** "A reasonably long period of time", for which RFC 9309 has this example; then it counts as if there were none. */
const GIVE_UP_MS = 30 * 24 * 3600_000
const MOST_HOSTS = 1_000

interface Known {
  /** The newest that could be had; null: none yet. */
  rules: RobotRules | null
  askAgainAt: number
  /** Since when it cannot be had; null: it can. */
  unreachableSince: number | null
  /** Why it could not be had the last time; null: it could. */
  failure: string | null
  loading: Promise<void> | null
}

/**
 * The robots.txt of each origin, kept for a day, as RFC 9309 has it in 2.3.1. Rules are kept to, not only the crawl-delay: so who
 * answers that there is none (`load` brings null) forbids nothing, and who fails to answer (5xx, or no answer; `load` throws)
 * forbids everything while that lasts, unless what it said before is known: then that holds. What is known is known since the
 * process started.
 */
export class Robots {
  readonly #load: (url: URL) => Promise<string | null>
  readonly #userAgent: string
  readonly #known = new Map<string, Known>()

  constructor(load: (url: URL) => Promise<string | null>, userAgent: string) {
    this.#load = load
    this.#userAgent = userAgent
  }

  /** @throws ScrapeError `network` while it cannot be had, with the time until it is asked for again */
  async rulesOf(origin: string): Promise<RobotRules> {
    const known = this.#of(origin)
    if (known.askAgainAt <= performance.now()) {
      known.loading ??= this.#ask(origin, known).finally(() => {
        known.loading = null
      })
      await known.loading
    }
    if (known.rules !== null) return known.rules
    const reason = known.failure ?? `${new URL(origin).host} did not answer`
    throw new ScrapeError('network', `${reason}, so its robots.txt is not known and nothing else is requested`, {
      retryAfterMs: Math.max(0, Math.ceil(known.askAgainAt - performance.now())),
    })
  }

  #of(origin: string): Known {
    const known = this.#known.get(origin)
    if (known !== undefined) return known
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MOST_HOSTS && oldest !== undefined) this.#known.delete(oldest)
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
      known.failure = error instanceof ScrapeError ? error.message : null
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
