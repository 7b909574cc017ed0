import { isIP } from 'node:net'
import { dns } from 'bun'
import ipaddr from 'ipaddr.js'
import { ScrapeError } from '../scrape-error'
import { networkFailureClass, networkProblem } from './network-problem'

/**
 * Resolves a URL that may be requested: http or https, no password in it, and every address of its host on the
 * public internet. Connect to the returned address: a second look-up could give another.
 *
 * @throws ScrapeError `bad_config` for an address that is not allowed, `network` for a host that does not exist
 */
export const resolvePublicAddress = async (url: URL, { allowPrivate }: { allowPrivate: boolean }): Promise<string> => {
  refusePrivateUrl(url, { allowPrivate })
  const host = hostOf(url)
  if (isIP(host) !== 0) return host
  const addresses = await lookUp(host).catch((cause) => {
    throw new ScrapeError('network', networkProblem(host, cause), { cause, failureClass: networkFailureClass(cause) })
  })
  const hidden = allowPrivate ? undefined : addresses.find(({ address }) => !isPublic(address))
  if (hidden !== undefined) throw refusal(host, `it is ${hidden.address}`)
  const [first] = addresses
  if (first === undefined) {
    throw new ScrapeError('network', `${host} is not known: its name has no IP address`, {
      failureClass: 'name_not_found',
    })
  }
  return first.address
}

/**
 * The addresses of a name, IPv4 first. c-ares waits for name servers in the event loop. The default, getaddrinfo, waits in one of Bun's few
 * threads, and files and all other names wait for these threads too: 40 names without an answer delayed them by 20 s (2 cores, 2026-11-28).
 */
const lookUp = async (host: string): Promise<{ address: string }[]> =>
  (await dns.lookup(host, { backend: 'c-ares' })).toSorted((one, other) => one.family - other.family)

/**
 * The checks that need no DNS; for addresses in a configuration.
 *
 * @throws ScrapeError `bad_config`
 */
export const refusePrivateUrl = (url: URL, { allowPrivate }: { allowPrivate: boolean }): void => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ScrapeError('bad_config', `${url.protocol}// is not a portal URL: it must begin with http or https`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ScrapeError('bad_config', `the URL of ${url.host} has a user or password in it`)
  }
  const host = hostOf(url)
  if (allowPrivate) return
  if (isIP(host) === 0 ? /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i.test(host) : !isPublic(host)) {
    throw refusal(host, 'it belongs to this machine or its network')
  }
}

const refusal = (host: string, why: string) =>
  new ScrapeError('bad_config', `${host} is not allowed: ${why}, and sources must be on the public internet`)

/** Without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** The only IPv6 addresses that are assigned to the public internet (RFC 4291, 2.4). ipaddr.js calls all others unicast, too, unless it knows them. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const isPublic = (text: string): boolean => {
  // Converts IPv4-mapped IPv6 addresses to IPv4.
  const address = ipaddr.process(text)
  return address.range() === 'unicast' && (!(address instanceof ipaddr.IPv6) || address.match(GLOBAL_UNICAST))
}
