import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Request } from 'playwright-core'
import { PAGE_BOUNDS } from '../../core/bounds'
import type { BrowserPage } from '../adapter'
import type { Waiting } from '../http/host-turns'
import type { PortalAccess } from '../http/http-client'
import { ScrapeError } from '../scrape-error'
import { SCRAPE_LIMIT_MS } from '../scrape-limits'
import { setApproach, useApproach } from './approach'
import { boundBodies } from './bound-bodies'
import { setPatience } from './patience'
import { refusePage } from './refusals'
import { type Destination, hostInUrl, type SocksProxy, startSocksProxy } from './socks-proxy'

export interface BrowserOptions {
  /** Chromium's executable. */
  executablePath: string
  userAgent: string
  /** Decides which URLs may be requested, and when. */
  portals: Pick<PortalAccess, 'approach' | 'heed' | 'resolve'>
  /** Maps where connections go. Default: the address that `portals` resolves. */
  route?: (asked: Destination) => Promise<Destination>
  /** How long to wait for content that scripts load. Default: long enough for slow portals. */
  readyMs?: number
  /** Limit for one decompressed response, and for the page after its scripts have run. */
  maxBodyBytes?: number
}

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

/** Resources that a scrape does not need and that would waste the portal's bandwidth. */
const UNUSED = new Set(['image', 'font', 'media'])
/** Requests that one page may make, including its frames and scripts. The heaviest known portal makes about 120. */
const MAX_REQUESTS = 1_000
/** Memory that a page's scripts may use. */
const MAX_SCRIPT_MB = 512

/** Chromium never runs as root and does not get this process's environment, which holds keys and passwords. */
const unprivileged = (executablePath: string) => {
  const { PATH = '/usr/bin:/bin', LANG, TMPDIR } = process.env
  const env = { PATH, ...(LANG && { LANG }), ...(TMPDIR && { TMPDIR }), CHROMIUM_EXECUTABLE: executablePath }
  if (process.getuid?.() !== 0) return { executablePath, env, chromiumSandbox: true }
  const asNobody = join(import.meta.dir, 'as-nobody.sh')
  // Chromium's sandbox needs user namespaces, which some containers do not allow.
  const probe = Bun.spawnSync([asNobody, '--user', 'true'], { env: { PATH, CHROMIUM_EXECUTABLE: 'unshare' } })
  return { executablePath: asNobody, env, chromiumSandbox: probe.exitCode === 0 }
}

export const createBrowser = ({
  executablePath,
  userAgent,
  portals,
  route,
  readyMs,
  maxBodyBytes = PAGE_BOUNDS.bytes,
}: BrowserOptions): PortalBrowser => {
  let running: Promise<{ browser: Browser; proxy: SocksProxy }> | null = null

  const decide =
    route ??
    (async ({ address, port }) => {
      const scheme = port === 443 ? 'https' : 'http'
      return { address: await portals.resolve(new URL(`${scheme}://${hostInUrl(address)}:${port}`)), port }
    })

  const launch = async () => {
    try {
      accessSync(executablePath, constants.X_OK)
    } catch (cause) {
      throw new ScrapeError('bad_config', `Chromium not found at ${executablePath}: set CHROMIUM_PATH`, { cause })
    }
    // Loading it takes a third of a second of CPU, and most processes never open a page.
    const { chromium } = await import('playwright-core')
    const proxy = await startSocksProxy(decide)
    try {
      const browser = await chromium.launch({
        ...unprivileged(executablePath),
        // Playwright also sends connections to this machine through the proxy.
        proxy: { server: `socks5://127.0.0.1:${proxy.port}` },
        args: [
          // Without this flag, WebRTC sends packets past the proxy. Chromium knows the first form, its headless shell the second.
          '--webrtc-ip-handling-policy=disable_non_proxied_udp',
          '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
          '--disable-quic',
          // A scrape uses one page: `window.open` returns null.
          '--block-new-web-contents',
          `--js-flags=--max-old-space-size=${MAX_SCRIPT_MB}`,
        ],
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      })
      browser.on('disconnected', () => {
        running = null
        void proxy.stop()
      })
      return { browser, proxy }
    } catch (cause) {
      await proxy.stop()
      // Chromium exists, so the cause (memory, too many processes) may be temporary.
      throw new ScrapeError('network', `Chromium at ${executablePath} does not start`, { cause })
    }
  }

  const start = async (): Promise<Browser> => {
    running ??= launch().catch((error) => {
      running = null
      throw error
    })
    return (await running).browser
  }

  return {
    openPage: async (signal, waiting) => {
      signal.throwIfAborted()
      const browser = await start()
      const context = await browser.newContext({
        userAgent,
        acceptDownloads: false,
        serviceWorkers: 'block',
        locale: 'en-US',
      })
      const close = () => void context.close().catch(() => {})
      if (signal.aborted) close()
      signal.throwIfAborted()
      signal.addEventListener('abort', close, { once: true })
      context.once('close', () => signal.removeEventListener('abort', close))
      context.setDefaultTimeout(SCRAPE_LIMIT_MS.plain)
      const page = await context.newPage()
      if (readyMs !== undefined) setPatience(page, readyMs)
      const giveUp = (error: ScrapeError) => {
        refusePage(page, error)
        void page.close().catch(() => {})
      }
      // If a window opens despite the flag, close it.
      context.on('page', (other) => void (other !== page && other.close().catch(() => {})))
      page.on('crash', () => giveUp(new ScrapeError('page_changed', 'the page uses more memory than allowed')))
      const approach = (url: URL) => portals.approach(url, signal, waiting)
      setApproach(page, approach)
      context.on('response', (response) => {
        const url = URL.parse(response.url())
        if (url !== null && /^https?:$/.test(url.protocol)) {
          portals.heed(url, response.status(), response.headers(), signal)
        }
      })
      await boundBodies(page, maxBodyBytes)
      let requests = 0
      // Playwright calls this without awaiting it. A rejection would end the process, so catch everything.
      await context.route('**/*', async (asked) => {
        try {
          const request = asked.request()
          requests++
          if (requests > MAX_REQUESTS) {
            giveUp(new ScrapeError('page_changed', `the page makes more than ${MAX_REQUESTS} requests`))
            return
          }
          if (UNUSED.has(request.resourceType())) return await asked.abort('blockedbyclient')
          // All navigations of the page and its frames pass through here.
          if (request.isNavigationRequest() && !useApproach(page, request.url())) await approach(new URL(request.url()))
          await asked.continue()
        } catch (error) {
          if (error instanceof ScrapeError && isOfMainFrame(page, asked.request())) refusePage(page, error)
          // The page may already be closed.
          await asked.abort('blockedbyclient').catch(() => {})
        }
      })
      signal.throwIfAborted()
      return page
    },
    stop: async () => {
      const started = await running?.catch(() => null)
      await started?.browser.close()
      await started?.proxy.stop()
    },
  }
}

/** Whether the request is from the page itself and not from a frame in it. Playwright throws if a request has no frame yet: a new window. */
const isOfMainFrame = (page: BrowserPage, request: Request): boolean => {
  try {
    return request.frame() === page.mainFrame()
  } catch {
    return false
  }
}
