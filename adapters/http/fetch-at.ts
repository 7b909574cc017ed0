interface PinnedRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body?: string
  signal: AbortSignal
}

/**
 * Sends a request to the address that was checked (public-address.ts), not to what the host's name may resolve to by now. Redirects are
 * returned, not followed.
 */
export const fetchAt = (url: URL, address: string, { headers, ...request }: PinnedRequest): Promise<Response> =>
  fetch(atAddress(url, address), {
    ...request,
    headers: { ...headers, host: url.host },
    redirect: 'manual',
    // Two hosts at one address must not share a connection, because its certificate was checked for only one of them.
    keepalive: false,
    tls: { serverName: url.hostname },
  })

/** The URL with its host replaced by the address that was checked. */
const atAddress = (url: URL, address: string): string => {
  const pinned = new URL(url)
  pinned.hostname = address.includes(':') ? `[${address}]` : address
  pinned.hash = ''
  return pinned.href
}
