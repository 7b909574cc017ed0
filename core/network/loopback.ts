/** Loopback names, as in a URL's `hostname` and in the address of a listening socket. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])

export const isLoopbackName = (hostname: string): boolean => LOOPBACK.has(hostname)
