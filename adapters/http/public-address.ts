import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ScrapeError } from '../scrape-error'
import { networkProblem } from './network-problem'

/**
 * The addresses behind a URL, if it may be asked: http or https, no password in it, and every address of its host out on the
 * public internet. Connect to the one that is returned: a second look-up could answer differently.
 *
 * @throws ScrapeError `bad_config` for an address that may not be asked, `network` for a host that does not exist
 */
export const resolvePublicAddress = async (url: URL, { allowPrivate }: { allowPrivate: boolean }): Promise<string> => {
  refusePrivateUrl(url, { allowPrivate })
  const host = hostOf(url)
  if (isIP(host) !== 0) return host
  const addresses = await lookup(host, { all: true, order: 'ipv4first' }).catch((cause) => {
    throw new ScrapeError('network', networkProblem(host, cause), { cause })
  })
  const hidden = allowPrivate ? undefined : addresses.find(({ address }) => !isPublic(address))
  if (hidden !== undefined) throw refusal(host, `it is ${hidden.address}`)
  const [first] = addresses
  if (first === undefined) throw new ScrapeError('network', `${host} is not known: its name has no address`)
  return first.address
}

/**
 * What can be told without asking the name service; for addresses as they are configured.
 *
 * @throws ScrapeError `bad_config`
 */
export const refusePrivateUrl = (url: URL, { allowPrivate }: { allowPrivate: boolean }): void => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ScrapeError('bad_config', `${url.protocol}// is no address of a portal: it must begin with http or https`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ScrapeError('bad_config', `the address of ${url.host} has a user or password in it`)
  }
  const host = hostOf(url)
  if (allowPrivate) return
  if (isIP(host) === 0 ? /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i.test(host) : !isPublic(host)) {
    throw refusal(host, 'it belongs to this machine or its network')
  }
}

const refusal = (host: string, why: string) =>
  new ScrapeError('bad_config', `${host} may not be asked: ${why}, and sources are on the public internet`)

/** Without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** `process` turns IPv4 that is dressed up as IPv6 back into IPv4. */
const isPublic = (address: string): boolean => ipaddr.process(address).range() === 'unicast'
