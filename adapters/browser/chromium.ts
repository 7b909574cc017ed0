import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { PortalAccess } from '../http/http-client'
import { ScrapeError } from '../scrape-error'
import { type Destination, hostInUrl, startSocksProxy } from './socks-proxy'

export interface ChromiumOptions {
  /** Chromium's executable. */
  executablePath: string
  /** Resolves the addresses of connections. */
  portals: Pick<PortalAccess, 'resolve'>
  /** Maps where connections go. Default: the address that `portals` resolves. */
  route?: (asked: Destination) => Promise<Destination>
}

/** A Chromium process, and the proxy that all its connections go through. */
export interface Chromium {
  browser: Browser
  stop: () => Promise<void>
}

/** Memory that a page's scripts may use. */
const MAX_SCRIPT_MB = 512

/**
 * Starts Chromium. `onExit` is called when it has ended for any reason; its proxy is stopped then.
 *
 * @throws ScrapeError `bad_config` when Chromium is missing, `network` when it does not start
 */
export const launchChromium = async (
  { executablePath, portals, route = routeBy(portals) }: ChromiumOptions,
  onExit: () => void,
): Promise<Chromium> => {
  expectExecutable(executablePath)
  // Loading it takes a third of a second of CPU, and most processes never open a page.
  const { chromium } = await import('playwright-core')
  const proxy = await startSocksProxy(route)
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
      onExit()
      void proxy.stop()
    })
    return {
      browser,
      stop: async () => {
        await browser.close()
        await proxy.stop()
      },
    }
  } catch (cause) {
    await proxy.stop()
    // Chromium exists, so the cause (memory, too many processes) may be temporary.
    throw new ScrapeError('network', `Chromium at ${executablePath} does not start`, { cause })
  }
}

const routeBy =
  (portals: ChromiumOptions['portals']) =>
  async ({ address, port }: Destination): Promise<Destination> => {
    const scheme = port === 443 ? 'https' : 'http'
    return { address: await portals.resolve(new URL(`${scheme}://${hostInUrl(address)}:${port}`)), port }
  }

const expectExecutable = (path: string): void => {
  try {
    accessSync(path, constants.X_OK)
  } catch (cause) {
    throw new ScrapeError('bad_config', `Chromium not found at ${path}: set CHROMIUM_PATH`, { cause })
  }
}

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
