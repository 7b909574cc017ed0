import { type Alarm, createAlarm } from '../../core/alarm'
import { tellNowAndThen } from '../../core/tell-now-and-then'
import { sweepCrawls } from '../../drizzle/queries/crawls/sweep-crawls'
import { MOST_FAILURES } from '../scrape/fetch/crawl-source'
import { type TakeCrawlDeps, takeCrawl } from './take-crawl'

export interface CrawlerDeps extends TakeCrawlDeps {
  /** How often crawls that wait are looked for. */
  pollMs?: number
  /** Crawls at once in this process; each has one page in memory. */
  mostAtOnce?: number
}

export interface Crawler {
  start: () => void
  /** Gives back what runs, after the page that is being stored. */
  stop: () => Promise<void>
}

const POLL_MS = 2_000
const MOST_AT_ONCE = 2

/**
 * Goes on with crawls that wait, a few side by side. Where each stands is in the database, so that whoever takes one over goes on
 * after its last page.
 */
export const createCrawler = ({ pollMs = POLL_MS, mostAtOnce = MOST_AT_ONCE, ...deps }: CrawlerDeps): Crawler => {
  const { sql, log } = deps
  const stopping = new AbortController()
  const alarms: Alarm[] = []
  const working: Promise<void>[] = []

  const warn = tellNowAndThen((error, times) => log.warn({ err: error, times }, 'the crawler tries again'))

  /** Crawl after crawl. */
  const work = async (alarm: Alarm): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await sweepCrawls(sql, { mostFailures: MOST_FAILURES })
        deps.onTurn?.()
        if (await takeCrawl(deps, { signal: stopping.signal })) continue
      } catch (error) {
        warn(error)
      }
      await alarm.wait(pollMs)
    }
  }

  return {
    start() {
      for (let place = 0; place < mostAtOnce; place++) {
        const alarm = createAlarm()
        alarms.push(alarm)
        working.push(work(alarm))
      }
    },
    async stop() {
      stopping.abort(new Error('the crawler stops'))
      for (const alarm of alarms) alarm.ring()
      await Promise.all(working)
    },
  }
}
