import { type CrawlRunnerDeps, createCrawlRunner } from './crawl-runner'
import type { WorkRunner } from './runner'

/** The kinds of work that the worker role does, one runner each. A new kind is added here. */
export const createRunners = ({ crawl }: { crawl: CrawlRunnerDeps }): WorkRunner[] => [createCrawlRunner(crawl)]
