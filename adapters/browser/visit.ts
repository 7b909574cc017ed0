import { SpanKind } from '@opentelemetry/api'
import type { Locator, Response } from 'playwright-core'
import { withSpan } from '../../core/observe/with-span'
import type { BrowserPage, RawDocument } from '../adapter'
import { browserFailureClass, browserProblem, tookTooLong } from '../http/network-problem'
import { ScrapeError } from '../scrape-error'
import { SCRAPE_LIMIT_MS } from '../scrape-limits'
import { approach } from './approach'
import { expectBoundBody, expectBoundContent } from './bound-bodies'
import { patienceOf } from './patience'
import { findRefusal, forgetRefusal } from './refusals'
import { noteVisit } from './visits'

/*
 * Page actions for adapters. Playwright's errors become ScrapeErrors here. If the portal shows other content than expected, that
 * becomes the document, so that `expectPage` and `parse` can identify it.
 */

export interface Visit {
  /** The name of the document. */
  name: string
  url: string
  /** A selector for what the page's scripts load: the content, or the notice that there is none. */
  ready?: string
  readyMs?: number
}

/**
 * Opens a page and returns what it shows once the awaited content has loaded, or after `readyMs`.
 *
 * @throws ScrapeError `network`, `timeout`, or the reason why the URL is refused
 */
export const visit = async (
  page: BrowserPage,
  { name, url, ready, readyMs = patienceOf(page) }: Visit,
): Promise<RawDocument> => {
  forgetRefusal(page)
  await approach(page, url)
  return withSpan(
    'portal page',
    { 'server.address': new URL(url).hostname },
    async () => {
      const response = await inBrowser(page, page.goto(url, { waitUntil: 'domcontentloaded' }), url)
      noteVisit(page, url)
      if (ready !== undefined) await waitFor(page, ready, readyMs)
      noteVisit(page, url)
      return toDocument(page, name, response)
    },
    { kind: SpanKind.CLIENT },
  )
}

/** What the page shows now, after the adapter has clicked and typed. */
export const showDocument = async (
  page: BrowserPage,
  name: string,
  { ready, readyMs = patienceOf(page) }: Partial<Visit> = {},
) => {
  if (ready !== undefined) await waitFor(page, ready, readyMs)
  return toDocument(page, name, null)
}

/**
 * The first matching element of the page, to fill in or click; `what` is its name in messages.
 *
 * @throws ScrapeError `page_changed` when there is none. It does not wait: `visit` already has.
 */
export const getElement = async (page: BrowserPage, selector: string, what: string): Promise<Locator> => {
  const elements = page.locator(selector)
  if ((await inBrowser(page, elements.count())) === 0) {
    throw new ScrapeError('page_changed', `no "${what}" on the page: nothing matches ${selector}`)
  }
  return elements.first()
}

/**
 * The next response that the page's own scripts receive from a matching address, as a document. Call it before the action that triggers
 * the request, and await it after.
 *
 * @throws ScrapeError `timeout` when no such request is made
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
    body: expectBoundBody(page, await inBrowser(page, response.text())),
    fetchedAt: new Date().toISOString(),
  }
}

/** Turns Playwright's errors into ScrapeErrors. @throws ScrapeError `timeout`, `network`, or the reason why an address was refused */
export const inBrowser = async <Result>(
  page: BrowserPage,
  work: Promise<Result>,
  url = page.url(),
): Promise<Result> => {
  try {
    return await work
  } catch (cause) {
    const refusal = findRefusal(page)
    if (refusal !== null) throw refusal
    if (cause instanceof ScrapeError || !(cause instanceof Error)) throw cause
    const host = URL.canParse(url) && new URL(url).host !== '' ? new URL(url).host : 'the portal'
    if (isTimeout(cause)) {
      throw new ScrapeError('timeout', tookTooLong(host, timeoutOf(cause) ?? SCRAPE_LIMIT_MS.plain), { cause })
    }
    throw new ScrapeError('network', browserProblem(host, cause.message), {
      cause,
      failureClass: browserFailureClass(cause.message),
    })
  }
}

/** The limit in Playwright's message: `page.goto: Timeout 60000ms exceeded.` */
const timeoutOf = ({ message }: Error): number | null => {
  const [, ms] = /Timeout (\d+)ms/.exec(message) ?? []
  return ms === undefined ? null : Number(ms)
}

/** If the content does not appear, the document is the page as it is. */
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

/** Compares by name: readers load every adapter and do not need Playwright, which would double their start time and memory. */
const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'
