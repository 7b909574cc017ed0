import ipaddr from 'ipaddr.js'

/** Whoever has one IPv6 address has its whole /64. */
const NETWORK_PARTS = 4

/**
 * Where a request comes from: an IPv4 address, or the /64 of an IPv6 one. `trustedProxies` is how many proxies of the operator's
 * own stand before the service, each of which adds to X-Forwarded-For the address that it was called from: what stands further
 * left in that header, callers write as they like.
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
