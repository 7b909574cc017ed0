import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Request } from 'playwright-core'
import type { BrowserPage } from '../adapter'
import { PAGE_BOUNDS } from '../bounds'
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
  /** Of Chromium. */
  executablePath: string
  userAgent: string
  /** Says which addresses may be asked, and when. */
  portals: Pick<PortalAccess, 'approach' | 'heed' | 'resolve'>
  /** Where connections go. Left out: to the address that `portals` finds. */
  route?: (asked: Destination) => Promise<Destination>
  /** How long scripts have to bring what is awaited of them. Left out: as long as slow portals need. */
  readyMs?: number
  /** Of one answer, unpacked; and of what a page has become by its scripts. */
  maxBodyBytes?: number
}

/** One Chromium for all jobs of a process, started with the first page and again when it died. */
export interface PortalBrowser {
  /**
   * A page in a context of its own: no job sees another's cookies. It is closed when the signal aborts.
   *
   * @throws ScrapeError `bad_config` when there is no Chromium, `network` when it does not start; the signal's reason
   */
  openPage: (signal: AbortSignal, waiting?: Waiting) => Promise<BrowserPage>
  stop: () => Promise<void>
}

/** What a scrape has no use for, and portals pay for. */
const UNUSED = new Set(['image', 'font', 'media'])
/** Requests that one page may make with all its frames and scripts. The heaviest portal that is known makes some 120. */
const MOST_REQUESTS = 1_000
/** What the scripts of a page may keep in memory. */
const MOST_SCRIPT_MB = 512

/** Chromium never runs as root, and sees nothing of this process's environment: there are keys and passwords in it. */
const unprivileged = (executablePath: string) => {
  const { PATH = '/usr/bin:/bin', LANG, TMPDIR } = process.env
  const env = { PATH, ...(LANG && { LANG }), ...(TMPDIR && { TMPDIR }), CHROMIUM_EXECUTABLE: executablePath }
  if (process.getuid?.() !== 0) return { executablePath, env, chromiumSandbox: true }
  const asNobody = join(import.meta.dir, 'browser/as-nobody.sh')
  // Chromium's sandbox needs user namespaces. Some containers refuse them.
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
      throw new ScrapeError('bad_config', `there is no Chromium at ${executablePath}: set CHROMIUM_PATH`, { cause })
    }
    const proxy = await startSocksProxy(decide)
    try {
      const browser = await chromium.launch({
        ...unprivileged(executablePath),
        // Playwright sends connections to this machine through it too.
        proxy: { server: `socks5://127.0.0.1:${proxy.port}` },
        args: [
          // Without it WebRTC sends packets past the proxy. Chromium ignores the form that begins with `--force-`.
          '--webrtc-ip-handling-policy=disable_non_proxied_udp',
          '--disable-quic',
          // A scrape has one page: `window.open` returns null.
          '--block-new-web-contents',
          `--js-flags=--max-old-space-size=${MOST_SCRIPT_MB}`,
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
      // It is there: what keeps it from starting (memory, too many processes) may pass.
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
      // Should a window open in spite of the flag, nothing of it is read.
      context.on('page', (other) => void (other !== page && other.close().catch(() => {})))
      page.on('crash', () => giveUp(new ScrapeError('page_changed', 'the page needs more memory than a page may have')))
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
      // Playwright calls this and waits for nothing: a rejection of it would end the process, so none may leave it.
      await context.route('**/*', async (asked) => {
        try {
          const request = asked.request()
          requests++
          if (requests > MOST_REQUESTS) {
            giveUp(new ScrapeError('page_changed', `the page makes more than ${MOST_REQUESTS} requests`))
            return
          }
          if (UNUSED.has(request.resourceType())) return await asked.abort('blockedbyclient')
          // What a page goes to by itself, in its frames too, comes here first.
          if (request.isNavigationRequest() && !useApproach(page, request.url())) await approach(new URL(request.url()))
          await asked.continue()
        } catch (error) {
          if (error instanceof ScrapeError && isOfMainFrame(page, asked.request())) refusePage(page, error)
          // The page may be closed by now.
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

/** Whether the page itself asked, rather than a frame in it. Playwright throws where a request has no frame, or none yet: a new window. */
const isOfMainFrame = (page: BrowserPage, request: Request): boolean => {
  try {
    return request.frame() === page.mainFrame()
  } catch {
    return false
  }
}
