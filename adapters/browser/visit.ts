import { SpanKind } from '@opentelemetry/api'
import type { Locator, Response } from 'playwright-core'
import { withSpan } from '../../core/with-span'
import type { BrowserPage, RawDocument } from '../adapter'
import { browserProblem, tookTooLong } from '../http/network-problem'
import { ScrapeError } from '../scrape-error'
import { SCRAPE_LIMIT_MS } from '../scrape-limits'
import { approach } from './approach'
import { expectBoundContent } from './bound-bodies'
import { patienceOf } from './patience'
import { takeRefusal } from './refusals'

/*
 * What adapters do with a page. Playwright's errors become ScrapeErrors here; what a portal shows instead of what was awaited
 * becomes a document, so that `expectPage` and `parse` can say what it is.
 */

export interface Visit {
  /** Becomes the document's. */
  name: string
  url: string
  /** A selector of what the page's scripts bring: the content, or the notice that there is none. */
  ready?: string
  readyMs?: number
}

/**
 * Goes to a page, and gives what it shows once its scripts have brought what was awaited, or did not within `readyMs`.
 *
 * @throws ScrapeError `network`, `timeout`, and what the address is refused with
 */
export const visit = async (
  page: BrowserPage,
  { name, url, ready, readyMs = patienceOf(page) }: Visit,
): Promise<RawDocument> => {
  takeRefusal(page)
  await approach(page, url)
  return withSpan(
    'portal page',
    { 'server.address': new URL(url).hostname },
    async () => {
      const response = await inBrowser(page, page.goto(url, { waitUntil: 'domcontentloaded' }), url)
      if (ready !== undefined) await waitFor(page, ready, readyMs)
      return toDocument(page, name, response)
    },
    { kind: SpanKind.CLIENT },
  )
}

/** What the page shows now, after the adapter has clicked and typed its way there. */
export const showDocument = async (
  page: BrowserPage,
  name: string,
  { ready, readyMs = patienceOf(page) }: Partial<Visit> = {},
) => {
  if (ready !== undefined) await waitFor(page, ready, readyMs)
  return toDocument(page, name, null)
}

/**
 * The first element of the page that fits, to be filled or clicked; `what` is what people call it.
 *
 * @throws ScrapeError `page_changed` when there is none: nobody waits for what `visit` has waited for
 */
export const getElement = async (page: BrowserPage, selector: string, what: string): Promise<Locator> => {
  const elements = page.locator(selector)
  if ((await inBrowser(page, elements.count())) === 0) {
    throw new ScrapeError('page_changed', `no "${what}" on the page: nothing there is ${selector}`)
  }
  return elements.first()
}

/**
 * The next answer that the page's own scripts get from an address like this, as a document. Call it before what makes them
 * ask, and await it after.
 *
 * @throws ScrapeError `timeout` when they do not ask
 */
export const captureAnswer = async (
  page: BrowserPage,
  name: string,
  isIt: (url: URL) => boolean,
): Promise<RawDocument> => {
  const response = await inBrowser(
    page,
    page.waitForResponse((candidate) => isIt(new URL(candidate.url()))),
  )
  return {
    name,
    url: response.url(),
    status: response.status(),
    headers: await inBrowser(page, response.allHeaders()),
    body: await inBrowser(page, response.text()),
    fetchedAt: new Date().toISOString(),
  }
}

/** @throws ScrapeError `timeout`, `network`, and what an address was refused with, for what Playwright throws */
export const inBrowser = async <Result>(
  page: BrowserPage,
  work: Promise<Result>,
  url = page.url(),
): Promise<Result> => {
  try {
    return await work
  } catch (cause) {
    const refusal = takeRefusal(page)
    if (refusal !== null) throw refusal
    if (cause instanceof ScrapeError || !(cause instanceof Error)) throw cause
    const host = URL.canParse(url) && new URL(url).host !== '' ? new URL(url).host : 'the portal'
    if (isTimeout(cause)) {
      throw new ScrapeError('timeout', tookTooLong(host, timeoutOf(cause) ?? SCRAPE_LIMIT_MS.plain), { cause })
    }
    throw new ScrapeError('network', browserProblem(host, cause.message), { cause })
  }
}

/** The limit that Playwright names: `page.goto: Timeout 60000ms exceeded.` */
const timeoutOf = ({ message }: Error): number | null => {
  const [, ms] = /Timeout (\d+)ms/.exec(message) ?? []
  return ms === undefined ? null : Number(ms)
}

/** What does not come is told by what is there instead. */
const waitFor = async (page: BrowserPage, selector: string, timeout: number): Promise<void> => {
  try {
    await page.waitForSelector(selector, { state: 'attached', timeout })
  } catch (error) {
    if (!isTimeout(error)) await inBrowser(page, Promise.reject(error))
  }
}

const toDocument = async (page: BrowserPage, name: string, response: Response | null): Promise<RawDocument> => {
  await inBrowser(page, expectBoundContent(page))
  return {
    name,
    url: page.url(),
    status: response?.status() ?? 200,
    headers: response === null ? { 'content-type': 'text/html' } : await inBrowser(page, response.allHeaders()),
    body: await inBrowser(page, page.content()),
    fetchedAt: new Date().toISOString(),
  }
}

/** By its name: readers load every adapter, and have no use for Playwright, which takes half of their start and of their memory. */
const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'
