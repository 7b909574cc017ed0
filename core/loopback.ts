/** The names of the machine itself, as a URL's `hostname` and as a listening socket has them. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])

export const isLoopbackName = (hostname: string): boolean => LOOPBACK.has(hostname)
