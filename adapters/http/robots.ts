import robotsParser from 'robots-parser'

/** What a host asks of robots. */
export interface RobotRules {
  isAllowed: (url: string) => boolean
  /** Null: it asks for none. */
  crawlDelayMs: number | null
}

const NO_RULES: RobotRules = { isAllowed: () => true, crawlDelayMs: null }

const KEEP_MS = 24 * 3600_000
/** A robots.txt that could not be had is asked for again soon. */
const KEEP_FAILURE_MS = 10 * 60_000
/** Longer delays are a way to say no, which `Disallow` says plainly. */
const MAX_DELAY_MS = 60_000
const MOST_HOSTS = 1_000

/**
 * The robots.txt of each origin, kept for a day. `load` brings its text, null when the host has none. No robots.txt, or none
 * that can be had, forbids nothing.
 */
export class Robots {
  readonly #load: (url: URL) => Promise<string | null>
  readonly #userAgent: string
  readonly #rules = new Map<string, { rules: Promise<RobotRules>; until: number }>()

  constructor(load: (url: URL) => Promise<string | null>, userAgent: string) {
    this.#load = load
    this.#userAgent = userAgent
  }

  async rulesOf(origin: string): Promise<RobotRules> {
    const known = this.#rules.get(origin)
    if (known !== undefined && known.until > performance.now()) return known.rules
    const [oldest] = this.#rules.keys()
    if (this.#rules.size >= MOST_HOSTS && oldest !== undefined) this.#rules.delete(oldest)
    const entry = { rules: Promise.resolve(NO_RULES), until: performance.now() + KEEP_MS }
    entry.rules = this.#read(new URL(`${origin}/robots.txt`)).catch(() => {
      entry.until = performance.now() + KEEP_FAILURE_MS
      return NO_RULES
    })
    this.#rules.set(origin, entry)
    return entry.rules
  }

  async #read(url: URL): Promise<RobotRules> {
    const text = await this.#load(url)
    if (text === null) return NO_RULES
    const robots = robotsParser(url.href, text)
    const delay = robots.getCrawlDelay(this.#userAgent)
    return {
      isAllowed: (address) => robots.isAllowed(address, this.#userAgent) ?? true,
      crawlDelayMs: delay === undefined || !(delay > 0) ? null : Math.min(delay * 1000, MAX_DELAY_MS),
    }
  }
}
