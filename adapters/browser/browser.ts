import type { BrowserPage } from '../adapter'
import type { Waiting } from '../http/host-turns'
import { type Chromium, type ChromiumOptions, launchChromium } from './chromium'
import { openPage, type PageOptions } from './open-page'

export type BrowserOptions = ChromiumOptions & PageOptions

/** One Chromium for all jobs of a process. It starts with the first page, and restarts if it dies. */
export interface PortalBrowser {
  /**
   * Opens a page in its own context, so no job sees another's cookies. It is closed when the signal aborts.
   *
   * @throws ScrapeError `bad_config` when Chromium is missing, `network` when it does not start; the signal's reason
   */
  openPage: (signal: AbortSignal, waiting?: Waiting) => Promise<BrowserPage>
  stop: () => Promise<void>
}

export const createBrowser = (options: BrowserOptions): PortalBrowser => {
  let running: Promise<Chromium> | null = null
  const forget = () => {
    running = null
  }

  const start = (): Promise<Chromium> => {
    running ??= launchChromium(options, forget).catch((error) => {
      forget()
      throw error
    })
    return running
  }

  return {
    openPage: async (signal, waiting) => {
      signal.throwIfAborted()
      const { browser } = await start()
      return openPage(browser, options, signal, waiting)
    },
    stop: async () => {
      const started = await running?.catch(() => null)
      await started?.stop()
    },
  }
}
