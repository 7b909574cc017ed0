import ipaddr from 'ipaddr.js'

/** Count of 16-bit parts in a /64. A client that has one IPv6 address usually has its whole /64. */
const NETWORK_PARTS = 4

/**
 * Address of the client: an IPv4 address, or the /64 of an IPv6 address. `trustedProxies` is how many trusted proxies add the address
 * of their own client to X-Forwarded-For. Entries further left can be forged by the caller, so they are ignored.
 */
export const clientAddress = (request: Request, peer: string | null, trustedProxies: number): string => {
  const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? []
  const chain = [...forwarded, peer ?? ''].map((address) => address.trim())
  return toNetwork(chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? '')
}

const toNetwork = (text: string): string => {
  try {
    const address = ipaddr.process(text)
    if (!(address instanceof ipaddr.IPv6)) return address.toString()
    const parts = address.parts.slice(0, NETWORK_PARTS)
    return `${parts.map((part) => part.toString(16)).join(':')}::/64`
  } catch {
    return 'unknown'
  }
}
