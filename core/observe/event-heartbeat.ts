/** How often a stream of events sends a heartbeat. Shorter than the idle timeouts of proxies and of the server. */
export const EVENT_HEARTBEAT_MS = 15_000
